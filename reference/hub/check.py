"""Checks that Transmuter and huggingface_hub share one cache, in both directions, against a small hub on this machine.

    reference/hub/check.py build/transmuter tests/models/MODEL_FOLDER

Each downloads a repository from the hub; then the other one must find every file of it offline, without a request.
"""

import hashlib
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from urllib.parse import unquote, urlparse

REPOSITORY = "someone/model"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE = 100_000  # files from this size on are answered as from large file storage


class Hub(http.server.ThreadingHTTPServer):
    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
        self.requests = 0

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(http.server.BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        self.server.requests += 1
        path = unquote(urlparse(self.path).path)
        if path.startswith(f"/api/models/{REPOSITORY}/tree/"):
            self.answer_json([self.entry(name) for name in self.server.files])
        elif path.startswith(f"/api/models/{REPOSITORY}"):
            siblings = [{"rfilename": name} for name in self.server.files]
            self.answer_json({"id": REPOSITORY, "modelId": REPOSITORY, "sha": COMMIT, "siblings": siblings})
        elif path.startswith(f"/{REPOSITORY}/resolve/"):
            self.answer_file(path.split("/", 5)[5])
        else:
            self.answer(404, b"", {})

    do_HEAD = do_GET

    def entry(self, name: str) -> dict:
        content = self.server.files[name]
        entry = {"type": "file", "path": name, "size": len(content), "oid": git_hash(content)}
        if len(content) >= LARGE:
            entry["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}
        return entry

    def answer_file(self, name: str) -> None:
        content = self.server.files.get(name)
        if content is None:
            self.answer(404, b"", {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": COMMIT})
            return
        headers = {"X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}
        if len(content) >= LARGE:
            etag = hashlib.sha256(content).hexdigest()
            headers |= {"X-Linked-Etag": f'"{etag}"', "X-Linked-Size": str(len(content)), "ETag": f'"{etag}"'}
        else:
            headers["ETag"] = f'"{git_hash(content)}"'
        self.answer(200, content, headers)

    def answer_json(self, value: object) -> None:
        self.answer(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def answer(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(content))}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


def git_hash(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()  # noqa: S324  what git names a file by


def run(command: list[str], hub: Hub, cache: Path, *, offline: bool) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(cache),
        "HF_HUB_CACHE": str(cache),
        "HF_ENDPOINT": hub.endpoint,
        "HF_HUB_OFFLINE": "1" if offline else "0",
    }
    before = hub.requests
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.returncode}\n{done.stderr}")
    if offline and hub.requests != before:
        sys.exit(f"{' '.join(command)}: asked the hub {hub.requests - before} times")
    return done.stdout


def python(code: str) -> list[str]:
    return [sys.executable, "-c", f"from huggingface_hub import *\n{code}"]


def main() -> None:
    program, folder = sys.argv[1:]
    hub = Hub(Path(folder))
    threading.Thread(target=hub.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as name:
        theirs, ours = Path(name, "theirs"), Path(name, "ours")
        theirs.mkdir()
        ours.mkdir()

        run(python(f"snapshot_download('{REPOSITORY}')"), hub, theirs, offline=False)
        run([program, "show", REPOSITORY, "--json"], hub, theirs, offline=True)
        run([program, "run", "text-embedding", "-m", REPOSITORY, "one", "--json"], hub, theirs, offline=True)
        print("downloaded by huggingface_hub: found by transmuter")

        run([program, "pull", REPOSITORY], hub, ours, offline=False)
        snapshot = ours / f"models--{REPOSITORY.replace('/', '--')}" / "snapshots" / COMMIT
        files = sorted(str(p.relative_to(snapshot)) for p in snapshot.rglob("*") if p.is_file())
        for file in files:
            found = run(python(f"print(hf_hub_download('{REPOSITORY}', '{file}'))"), hub, ours, offline=True).strip()
            if Path(found).read_bytes() != hub.files[file]:
                sys.exit(f"{file}: another content")
        scan = "print([r.repo_id for r in scan_cache_dir().repos])"
        listed = run(python(scan), hub, ours, offline=True).strip()
        if not files or listed != f"['{REPOSITORY}']":
            sys.exit(f"scan_cache_dir: {listed}, files: {files}")
        print("downloaded by transmuter: found by huggingface_hub")
    hub.shutdown()


if __name__ == "__main__":
    main()
