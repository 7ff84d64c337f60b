#!/usr/bin/env bash
# Run the quick tests with each of the given versions of Python that is installed, in environments under .venvs.
# Python is looked for on PATH, then among the versions of pyenv. The script names the versions that it skips, and fails
# if the tests fail with one of them or if none is found.
set -uo pipefail
cd "$(dirname "$0")/../.."

found_python() {
    local candidate
    for candidate in "$(command -v "python$1")" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1"*/bin/python; do
        # pyenv has shims for versions that are not active, so the interpreter must run and report the right version
        if [ -x "$candidate" ] && "$candidate" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
}

tried=0 failed=()
for version in "$@"; do
    python=$(found_python "$version")
    if [ -z "$python" ]; then
        echo "Python $version: skipped, not found on PATH or among pyenv's versions"
        continue
    fi
    tried=$((tried + 1))
    place=.venvs/$version
    echo "Python $version: $python"
    "$python" -m venv --clear "$place" &&
        "$place/bin/python" -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]" &&
        "$place/bin/python" tests/packaging/smoke.py &&
        "$place/bin/python" -m pytest -q -n "${JOBS:-2}" --hypothesis-profile=quick --dist loadgroup -m "not slow and not cluster and not browser" tests ||
        failed+=("$version")
done
if [ "$tried" -eq 0 ] || [ "${#failed[@]}" -gt 0 ]; then
    echo "failed: ${failed[*]:-no Python found}"
    exit 1
fi
