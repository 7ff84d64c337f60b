// Ask the server; a newer question of the same kind cancels the older.

/** What the server refused, and which field or cell it names. */
export class Problem extends Error {
  constructor(answer, status) {
    super(answer.error ?? `The server answered ${status}.`);
    this.field = answer.field ?? null;
    this.cell = answer.cell ?? null;
    this.columns = answer.columns ?? null;
  }
}

const running = new Map();

/** Ask and wait; `kind` names the questions of which only the newest counts. Undefined if it was overtaken.
 * With `each`, the answer comes line by line and each line is handed to it. */
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

/** Forget a question that is on its way. */
export function cancel(kind) {
  running.get(kind)?.abort();
  running.delete(kind);
}

/** The examples that come with the package. */
export async function examples() {
  const answer = await fetch("/api/examples");
  return answer.ok ? answer.json() : [];
}

/** A file's bytes, with how to read them. */
export function askFile(file, options) {
  const query = new URLSearchParams(Object.entries(options).filter(([, value]) => value !== "" && value !== null));
  return ask(`/api/file?${query}`, file, "file");
}

/** A file to save. */
export async function download(format, body) {
  const answer = await send(`/api/report?format=${format}`, body);
  return answer.blob();
}

/** Lines of JSON as they come. */
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
    throw new Problem({ error: "The kappamax server does not answer; is it still running?" }, 0);
  }
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({}));
  throw new Problem(said, answer.status);
}
