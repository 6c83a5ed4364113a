"""A hook that refuses texts with the word "spam": python3 veto.py 8080"""

import http.server
import json
import sys


class Veto(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        refused = [
            {"index": index, "code": 38001, "info": "no spam"}
            for index, item in enumerate(asked["data"]["items"])
            if any("spam" in text for text in item["texts"].values())
        ]
        answer = json.dumps({"items": refused}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Veto).serve_forever()
