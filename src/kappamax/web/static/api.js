// Send requests to the server; a new request of the same kind cancels the previous one.

/** Error message of the server, with what it is about, and the options that settle it if there are any. */
export class Problem extends Error {
  constructor(answer, status) {
    super(answer.error ?? `The server answered with status ${status}.`);
    this.field = answer.field ?? null;
    this.cell = answer.cell ?? null;
    this.columns = answer.columns ?? null;
    this.code = answer.code ?? null;
    this.fields = answer.fields ?? null;
    this.options = answer.options ?? null;
  }
}

const running = new Map();

/** Send a request and return its answer, or undefined if a newer request of the same `kind` was sent meanwhile.
 * If `each` is given, the answer is read line by line, and `each` is called with every line. */
export async function ask(path, body, kind = path, each = null) {
  running.get(kind)?.abort();
  const control = new AbortController();
  running.set(kind, control);
  try {
    const content = each ? await follow(lines(path, body, control.signal), each)
      : await (await send(path, body, control.signal)).json();
    return running.get(kind) === control ? content : undefined;
  } catch (error) {
    if (error.name === "AbortError" || running.get(kind) !== control) return undefined;
    throw error;
  }
}

/** Cancel a running request. */
export function cancel(kind) {
  running.get(kind)?.abort();
  running.delete(kind);
}

/** Return the example tables of the package. */
export async function examples() {
  const answer = await fetch("/api/examples");
  return answer.ok ? answer.json() : [];
}

/** Send a file with the options for reading it; it is read, or only inspected. */
export function askFile(file, options, kind = "file") {
  const query = new URLSearchParams(Object.entries({ ...options, file: file.name }).filter(([, value]) => value !== "" && value !== null));
  return ask(`/api/${kind}?${query}`, file, kind);
}

/** Return a report as a file in the given format. */
export async function download(format, body) {
  const answer = await send(`/api/report?format=${format}`, body);
  return answer.blob();
}

/** Yield the lines of an answer, each parsed as JSON, as they arrive. */
export async function* lines(path, body, signal) {
  const answer = await send(path, body, signal, "application/x-ndjson");
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    for (const part of parts) if (part.trim()) yield JSON.parse(part);
  }
  if (rest.trim()) yield JSON.parse(rest);
}

async function follow(stream, each) {
  for await (const line of stream) {
    if ("error" in line) throw new Problem(line, 422);
    each(line);
  }
  return true;
}

async function send(path, body, signal, accept = "*/*") {
  const bytes = body instanceof Blob;
  let answer;
  try {
    answer = await fetch(path, { method: "POST", signal, body: bytes ? body : JSON.stringify(body),
      headers: { Accept: accept, "Content-Type": bytes ? "application/octet-stream" : "application/json" } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ error: "The kappamax server does not respond. Check that it is still running." }, 0);
  }
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({}));
  throw new Problem(said, answer.status);
}
