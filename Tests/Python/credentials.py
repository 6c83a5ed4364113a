"""The credentials of callers of a guarded server: keys, users' signatures, and the operator's
key."""

import subprocess
import types

import TLSSigAPIv2
from relationd import executable, place
from stubs import Relation


def init(data, *arguments):
    """Runs `relationd init`, and returns its status, the key that it prints, and its complaints."""
    done = subprocess.run(
        [executable("relationd"), "init", *place(data), *arguments],
        capture_output=True, text=True, timeout=30,
    )  # fmt: skip
    return done.returncode, done.stdout.strip(), done.stderr


def bearer(key):
    return ("authorization", f"Bearer {key}")


def usersig(token):
    return ("authorization", f"UserSig {token}")


def sign(app, secret, user, *, at=None, expire=3600, userbuf=None):
    """A signature as the vendor's generator makes it, now or at another time."""
    signer = TLSSigAPIv2.TLSSigAPIv2(app, secret)
    clock = TLSSigAPIv2.time
    if at is not None:
        TLSSigAPIv2.time = types.SimpleNamespace(time=lambda: at)
    try:
        if userbuf is None:
            return signer.gen_sig(user, expire)
        return signer.gen_sig_with_userbuf(user, expire, userbuf)
    finally:
        TLSSigAPIv2.time = clock


class Keys:
    """Acts as the operator of a server, to make apps and their credentials."""

    def __init__(self, stubs, channel, operator):
        self.stubs = stubs
        self.channel = channel
        self.operator = operator

    def as_operator(self, app=None):
        named = [] if app is None else [("x-app-id", str(app))]
        return Relation(self.stubs, self.channel, [bearer(self.operator), *named])

    def with_key(self, key, *metadata):
        return Relation(self.stubs, self.channel, [bearer(key), *metadata])

    def with_signature(self, token, *metadata):
        return Relation(self.stubs, self.channel, [usersig(token), *metadata])

    def app(self):
        """A new app's number."""
        return self.as_operator()("CreateApp").app.app_id

    def key(self, app, *scopes, **fields):
        """A new key with the given scopes."""
        names = scopes or ("read", "write", "watch", "admin")
        made = self.as_operator(app)(
            "CreateCredential", scopes=[f"SCOPE_{name.upper()}" for name in names], **fields
        )
        return made.key

    def secret(self, app, old_expire_time_ms=0):
        """A new secret for the signatures of the app's users; the one before ends at once, unless
        the time says otherwise."""
        rotate = self.as_operator(app)
        return rotate("RotateAppSecret", old_expire_time_ms=old_expire_time_ms).secret

    def accounts(self, app, *users):
        rows = [{"row": {"user_id": user}} for user in users]
        list(self.as_operator(app).stream("ImportAccounts", rows))
