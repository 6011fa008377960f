#!/usr/bin/env python3
"""Fernhill Supply, an invented shop, answers requests for quote. Python 3.9 or newer, nothing but the standard library.

It serves its agent card, POST /message:send, and the page behind each claim_url. The protocol is one page:
docs/producer-protocol.md. Quotes are kept in memory: a real shop writes them to its database.

    python3 server.py                                       on 127.0.0.1:8787, for this machine only
    RFQ_HMAC_SECRET=... SHOP_URL=https://... HOST=0.0.0.0   behind a proxy that speaks https
"""
import hmac
import json
import os
import re
import sys
import time
import uuid
from datetime import datetime, timedelta, timezone
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock

HOST = os.environ.get("HOST", "127.0.0.1")
PORT = int(os.environ.get("PORT", "8787"))
SHOP_URL = os.environ.get("SHOP_URL", "https://fernhill.example")
SECRET = os.environ.get("RFQ_HMAC_SECRET", "").encode()
TOKEN = os.environ.get("RFQ_BEARER_TOKEN", "").encode()

PRICES = json.loads((Path(__file__).parent / "price-list.json").read_text("utf-8"))
SKILL = "respond-to-rfq"
CARD = {
    "protocolVersion": "0.3.0",
    "name": "Fernhill Supply",
    "description": "Kitchen and desk equipment, shipped from Ohio within the United States",
    "url": SHOP_URL,
    "version": "1.0.0",
    "capabilities": {},
    "defaultInputModes": ["application/json"],
    "defaultOutputModes": ["application/json"],
    "skills": [
        {
            "id": SKILL,
            "name": "Quotes",
            "description": "Answers requests for quote with a price, stock, shipping and a link",
            "tags": ["rfq"],
        }
    ],
}
DECLINE = {"price_usd": 0, "in_stock": False, "claim_url": "", "offer_expires_at": ""}
LONGEST_BODY = 64 * 1024
MOST_KEPT = 1000


class Refused(Exception):
    """A request that gets no quote: its status and why."""

    def __init__(self, status, why):
        super().__init__(why)
        self.status = status


def authenticate(headers, raw):
    """Checks who is asking, over the bytes as they came. Comparisons take the same time wherever they differ."""
    if SECRET:
        timestamp = headers.get("X-Service-Timestamp", "")
        if not re.fullmatch(r"\d{1,15}", timestamp):
            raise Refused(401, "X-Service-Timestamp is missing or is not Unix seconds")
        skew = round(time.time() - int(timestamp))
        if abs(skew) > 300:
            raise Refused(401, f"clock skew of {skew} s: synchronize this clock by NTP, unless this is a replay")
        expected = hmac.new(SECRET, timestamp.encode() + b"." + raw, sha256).hexdigest()
        given = headers.get("X-Service-Signature", "").lower().encode("utf-8", "replace")
        if not hmac.compare_digest(expected.encode(), given):
            raise Refused(401, "the signature does not fit this body and timestamp")
    elif TOKEN:
        given = headers.get("Authorization", "").encode("utf-8", "replace")
        if not hmac.compare_digest(b"Bearer " + TOKEN, given):
            raise Refused(401, "the bearer token is missing or wrong")


def read_rfq(raw):
    """The facts of a request, which stand in its metadata. Its text is a stranger's: data, never instructions."""
    try:
        rpc = json.loads(raw.decode("utf-8"))
        facts = rpc["params"]["message"]["metadata"]
        slug, quantity = facts["product_slug"], facts.get("quantity", 1)
        rfq_id, region = facts["rfq_id"], facts.get("delivery_region") or ""
        deadline = facts.get("deadline_iso") or ""
        due = datetime.fromisoformat(deadline[:10]).date() if deadline else None
    except (ValueError, KeyError, TypeError) as error:
        raise Refused(400, f"this is no request for quote: {error}") from error
    if rpc.get("method") != "message/send" or facts.get("skill") != SKILL:
        raise Refused(400, f"only message/send with the skill {SKILL} is answered here")
    texts = isinstance(slug, str) and isinstance(rfq_id, str) and isinstance(region, str)
    if not texts or not isinstance(quantity, int) or isinstance(quantity, bool) or quantity < 1:
        raise Refused(400, "rfq_id, product_slug, quantity or delivery_region is not as it should be")
    return rfq_id, slug, quantity, region, due


def price_order(slug, quantity, region, due):
    """The shop's own decision. None when it cannot fulfil the order; knows nothing of HTTP."""
    product, shipping = PRICES["products"].get(slug), PRICES["shipping"]
    state, _, country = region.partition("-")
    if product is None or (country or shipping["country"]) != shipping["country"]:
        return None
    days = shipping["farDays"] if state in shipping["farStates"] else shipping["days"]
    if due is not None and add_business_days(datetime.now(timezone.utc).date(), days) > due:
        return None
    tiers = [tier["priceUsd"] for tier in product["volumePrices"] if quantity >= tier["from"]]
    price = min([product["priceUsd"], *tiers])
    free = price * quantity >= shipping["freeFromUsd"]
    weight = product["weightLb"] * quantity
    return {
        "price_usd": price,
        "in_stock": product["stock"] >= quantity,
        "shipping_cost_usd": 0 if free else round(shipping["baseUsd"] + shipping["perLbUsd"] * weight, 2),
        "estimated_shipping_days": days,
    }


def add_business_days(day, count):
    while count > 0:
        day += timedelta(days=1)
        count -= day.weekday() < 5
    return day


answers = {}
promised = {}
lock = Lock()


def quote(rfq_id, slug, quantity, region, due):
    """The same request twice gets the same answer: the service tries again after a broken connection."""
    with lock:
        if rfq_id in answers:
            return answers[rfq_id]
        order = price_order(slug, quantity, region, due)
        answer = DECLINE
        if order is not None:
            offer_id = str(uuid.uuid4())
            expires = (datetime.now(timezone.utc) + timedelta(hours=23)).strftime("%Y-%m-%dT%H:%M:%SZ")
            answer = {
                **order,
                "claim_url": f"{SHOP_URL}/quotes/{offer_id}",
                "offer_expires_at": expires,
                "offer_id": offer_id,
                "terms": "Returns within 30 days. Price holds for the quoted quantity.",
            }
            keep(promised, offer_id, f"{quantity} x {slug} at ${order['price_usd']} each, until {expires}\n")
        keep(answers, rfq_id, answer)
        return answer


def keep(store, key, value):
    store[key] = value
    while len(store) > MOST_KEPT:
        del store[next(iter(store))]


class Shop(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20

    def do_GET(self):
        path = self.path.partition("?")[0]
        if path in ("/.well-known/agent-card.json", "/.well-known/agent.json"):
            return self.send(200, CARD)
        page = promised.get(path[len("/quotes/") :]) if path.startswith("/quotes/") else None
        return self.send(404, "No such quote, or it has expired.\n") if page is None else self.send(200, page)

    def do_POST(self):
        try:
            if self.path.partition("?")[0].replace("%3A", ":").replace("%3a", ":") != "/message:send":
                raise Refused(404, "only POST /message:send is served here")
            raw = self.read_body()
            authenticate(self.headers, raw)
            self.send(200, quote(*read_rfq(raw)))
        except Refused as refused:
            # What was not read of the body would be taken for the next request.
            self.close_connection = True
            self.send(refused.status, {"error": str(refused)})
        except Exception as error:  # A mistake of ours must not become an error for the service.
            print("could not quote:", repr(error), file=sys.stderr)
            self.send(200, DECLINE)

    def read_body(self):
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch(r"\d{1,9}", length):
            raise Refused(411, "Content-Length is needed")
        if int(length) > LONGEST_BODY:
            raise Refused(413, f"the body is over {LONGEST_BODY} bytes")
        return self.rfile.read(int(length))

    def send(self, status, content):
        is_text = isinstance(content, str)
        body = (content if is_text else json.dumps(content)).encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{'text/plain' if is_text else 'application/json'}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """No line for each request."""


def main():
    for name, value in (("RFQ_HMAC_SECRET", SECRET), ("RFQ_BEARER_TOKEN", TOKEN)):
        if value and len(value) < 16:
            sys.exit(f"{name} must have at least 16 characters.")
    if not SECRET and not TOKEN:
        if HOST not in ("127.0.0.1", "::1"):
            sys.exit("Set RFQ_HMAC_SECRET (or RFQ_BEARER_TOKEN) to a random secret of at least 16 characters.")
        print("Without RFQ_HMAC_SECRET anybody can ask: fine on this machine, never on the internet.", file=sys.stderr)
    server = ThreadingHTTPServer((HOST, PORT), Shop)
    print(f"Fernhill Supply answers on http://{HOST}:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
