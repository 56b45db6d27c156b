"""A mail server for tests, optionally with STARTTLS and a password. It prints each received message as JSON.

It uses aiosmtpd, and parses messages with Python's own parser. It ends when standard input closes.

    mail_server.py [--tls FOLDER] [--password PASSWORD]

With --tls it creates a certificate authority, writes its certificate into the folder, and issues a certificate for
127.0.0.1. The first line of output is the port.
"""

import argparse
import email
import email.policy
import json
import pathlib
import ssl
import sys

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult


class Printer:
    """Accepts all recipients except addresses that begin with `nobody`."""

    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if address.startswith("nobody"):
            return "550 5.1.1 there is no such person here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.original_content, policy=email.policy.default)
        parts = {kind: message.get_body([kind]).get_content() for kind in ("plain", "html")}
        taken = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "is_encrypted": session.ssl is not None,
            "user": session.auth_data and session.auth_data.login.decode(),
            "headers": {name.lower(): str(value) for name, value in message.items()},
            "defects": [str(defect) for defect in message.defects],
            **parts,
        }
        print(json.dumps(taken), flush=True)
        return "250 OK"


def context(folder):
    import trustme

    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(pathlib.Path(folder) / "authority.pem"))
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1", "localhost").configure_cert(made)
    return made


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--tls")
    arguments.add_argument("--password")
    given = arguments.parse_args()
    options = {}
    if given.tls:
        options.update(tls_context=context(given.tls), require_starttls=True)
    if given.password:

        def authenticate(server, session, envelope, mechanism, auth_data):
            return AuthResult(success=auth_data.password.decode() == given.password, auth_data=auth_data)

        options.update(authenticator=authenticate, auth_required=True)
    controller = Controller(Printer(), hostname="127.0.0.1", port=0, **options)
    # The controller connects to its port as a check, so it needs the number.
    import socket

    free = socket.socket()
    free.bind(("127.0.0.1", 0))
    controller.port = free.getsockname()[1]
    free.close()
    controller.start()
    print(controller.port, flush=True)
    sys.stdin.read()
    controller.stop()


main()
