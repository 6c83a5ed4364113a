"""Certificates for the tests of TLS."""

import datetime
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

DAY = datetime.timedelta(days=1)


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def alternative(text):
    """A name, or an address, of a certificate."""
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)


def builder(label, issuer, key, seconds=DAY.total_seconds()):
    """A certificate that is good since yesterday, and for the given number of seconds from now."""
    now = datetime.datetime.now(datetime.timezone.utc)
    return (
        x509.CertificateBuilder().subject_name(name(label)).issuer_name(issuer)
        .public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(now - DAY)
        .not_valid_after(now + datetime.timedelta(seconds=seconds))
    )  # fmt: skip


def self_signed(folder, label, *extensions):
    """A certificate that signs itself, with the given extensions."""
    key = ec.generate_private_key(ec.SECP256R1())
    made = builder(label, name(label), key)
    for extension in extensions:
        made = made.add_extension(extension, critical=False)
    return Issued(folder, label, made.sign(key, hashes.SHA256()), key)


class Issued:
    """A certificate with its key, as files and as bytes."""

    def __init__(self, folder, label, certificate, key):
        self.certificate = certificate
        self.key = key
        self.pem = certificate.public_bytes(serialization.Encoding.PEM)
        self.key_pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption())  # fmt: skip
        self.path = folder / f"{label}.pem"
        self.key_path = folder / f"{label}.key"
        self.path.write_bytes(self.pem)
        self.key_path.touch(mode=0o600)
        self.key_path.write_bytes(self.key_pem)

    @property
    def fingerprint(self):
        return self.certificate.fingerprint(hashes.SHA256())


class Authority:
    """Signs certificates of servers and of clients."""

    def __init__(self, folder, label="authority"):
        self.folder = folder
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = (
            builder(label, name(label), key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(key, hashes.SHA256())
        )
        self.own = Issued(folder, label, certificate, key)

    @property
    def path(self):
        return self.own.path

    @property
    def pem(self):
        return self.own.pem

    def server(self, label="server", *names):
        """A certificate for a server of the given names and addresses, or for this machine."""
        named = [alternative(name) for name in names or ("localhost", "127.0.0.1")]
        return self._issue(
            label, x509.SubjectAlternativeName(named), ExtendedKeyUsageOID.SERVER_AUTH)

    def client(self, label="client", seconds=DAY.total_seconds()):
        """A certificate for a client, for the given number of seconds from now."""
        names = x509.SubjectAlternativeName([x509.DNSName(f"{label}.example")])
        return self._issue(label, names, ExtendedKeyUsageOID.CLIENT_AUTH, seconds)

    def intermediate(self, label="intermediate"):
        """An authority that this one has signed."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = (
            builder(label, self.own.certificate.subject, key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(self.own.key, hashes.SHA256())
        )
        return Issued(self.folder, label, certificate, key)

    def _issue(self, label, names, usage, seconds=DAY.total_seconds()):
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = (
            builder(label, self.own.certificate.subject, key, seconds)
            .add_extension(names, critical=False)
            .add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
            .sign(self.own.key, hashes.SHA256())
        )
        return Issued(self.folder, label, certificate, key)
