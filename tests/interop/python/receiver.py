import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
import simplejson  # pip install simplejson; it keeps every digit of an amount

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        # Store `body` here: what was answered with 200 is not sent again.
        self.send_response(200)
        self.end_headers()
        response = simplejson.loads(body, use_decimal=True).get("response")
        known = response if isinstance(response, dict) else {}
        state = "failed" if known.get("error") else "interim" if known.get("hardrefreshing") else "done"
        print(self.path, state, simplejson.dumps(response, use_decimal=True), flush=True)

    def log_message(self, *arguments):
        """Logs nothing, since the address of a callback may be secret."""

HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
