"""The proxies that stand before servers: nginx and haproxy, each with short times."""

import contextlib
import pathlib
import shutil
import socket
import subprocess
import time

#: Seconds of silence after which each proxy ends a call.
QUIET = 1

NGINX = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log warn;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} http2;
        location / {{
            grpc_pass grpc://127.0.0.1:{server};
            grpc_read_timeout {quiet}s;
            grpc_send_timeout {quiet}s;
        }}
    }}
}}
"""

HAPROXY = """
global
    maxconn 64
defaults
    mode http
    timeout connect 5s
    timeout client {quiet}s
    timeout server {quiet}s
frontend calls
    bind 127.0.0.1:{port} proto h2
    default_backend servers
backend servers
    server one 127.0.0.1:{server} proto h2
"""


def program(name):
    return shutil.which(name, path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextlib.contextmanager
def proxy(name, server, folder, quiet=QUIET):
    """Runs the proxy of that name before the server's port, and gives its own address."""
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    port = free_port()
    text = {"nginx": NGINX, "haproxy": HAPROXY}[name]
    path = folder / f"{name}.conf"
    path.write_text(text.format(folder=folder, port=port, server=server, quiet=quiet))
    command = {
        "nginx": [program("nginx"), "-p", str(folder), "-c", str(path), "-e", "stderr"],
        "haproxy": [program("haproxy"), "-f", str(path), "-db", "-q"],
    }[name]
    with open(folder / "output", "wb") as output:
        running = subprocess.Popen(command, stdout=output, stderr=output)
        try:
            for _ in range(200):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                assert running.poll() is None, (folder / "output").read_text()
                time.sleep(0.05)
            yield f"127.0.0.1:{port}"
        finally:
            running.terminate()
            running.wait()
