"""A receiver of webhooks that has none of the project's modules: Flask, with the signatures checked
by standardwebhooks.

    python hook_receiver.py BOOK SEED LOST [--brief]

It prints its port, gets the secrets of its hook by `PUT /secrets`, and enters each event that it
does not know into the file BOOK, a line for each: the event as JSON, or with `--brief` its user,
position and sequence. Then it answers. To the share LOST of the requests, by chance, it answers 500
after that, so that they come again. A request whose signature is wrong is entered as `refused`.
"""

import json
import random
import sys
import threading

from flask import Flask, request
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError
from werkzeug.serving import WSGIRequestHandler, make_server


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, *_):
        pass


class Book:
    def __init__(self, path, brief):
        self.lines = open(path, "a", encoding="utf-8")
        self.brief = brief
        self.known = set()

    def enter(self, event):
        if event["id"] in self.known:
            return
        self.known.add(event["id"])
        data = event["data"]
        line = json.dumps(event)
        if self.brief:
            line = f"{event.get('subject')} {event.get('position')} {data.get('sequence', 0)}"
        self.lines.write(line + "\n")

    def refuse(self, why):
        self.lines.write(f"refused: {why}\n")
        self.lines.flush()


def receiver(book, numbers, lost):
    app = Flask("receiver")
    lock = threading.Lock()
    secrets = []

    @app.put("/secrets")
    def set_secrets():
        secrets[:] = [Webhook(secret) for secret in request.get_json()]
        return "", 204

    def verified(body):
        problem = "no secret"
        for secret in secrets:
            try:
                return secret.verify(body, dict(request.headers))
            except WebhookVerificationError as error:
                problem = error
        raise WebhookVerificationError(problem)

    @app.post("/hook")
    def take():
        body = request.get_data()
        with lock:
            try:
                content = verified(body)
            except WebhookVerificationError as error:
                book.refuse(error)
                return "", 401
            for event in content if isinstance(content, list) else [content]:
                book.enter(event)
            book.lines.flush()
            return "", 500 if numbers.random() < lost else 204

    return app


def main(path, seed, lost, *options):
    book = Book(path, "--brief" in options)
    app = receiver(book, random.Random(int(seed)), float(lost))
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
