"""A hook that refuses texts with the word "spam": SECRET=whsec_… python3 veto.py 8080"""

import base64, hmac, http.server, json, os, sys  # noqa: E401

KEY = base64.b64decode(os.environ["SECRET"].removeprefix("whsec_"))


class Veto(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        head = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode()
        code = base64.b64encode(hmac.digest(KEY, head + body, "sha256")).decode()
        given = self.headers.get("webhook-signature", "").split()
        good = any(hmac.compare_digest(f"v1,{code}", one) for one in given)
        items = enumerate(json.loads(body)["data"]["items"]) if good else []
        bad = [index for index, item in items if "spam" in "\n".join(item["texts"].values())]
        refused = [{"index": index, "code": 38001, "info": "no spam"} for index in bad]
        answer = json.dumps({"items": refused}).encode()
        self.send_response(200 if good else 401)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Veto).serve_forever()
