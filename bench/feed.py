"""Closed-loop cost of queries and writes over HTTP, one client: means and medians, no tail.

    cargo run --release -p tidal-server -- demo &
    python3 bench/feed.py --target http://127.0.0.1:9500 --requests 500

A closed loop stops asking while the server is slow, so it cannot show a tail; it is a tripwire, not a promise.
"""

import argparse
import http.client
import json
import statistics
import time
import urllib.parse

QUERIES = {
    "for_you": lambda user: ("/retrieve", {"user": user, "profile": "for_you", "limit": 20}),
    "for_you, explained": lambda user: ("/retrieve", {"user": user, "profile": "for_you", "limit": 20, "explain": True}),
    "trending": lambda user: ("/retrieve", {"user": user, "profile": "trending", "limit": 20}),
    "new": lambda user: ("/retrieve", {"user": user, "profile": "new", "limit": 20}),
    "following": lambda user: ("/retrieve", {"user": user, "profile": "following", "limit": 20}),
    "related": lambda user: ("/retrieve", {"user": user, "profile": "related", "similar_to": user, "limit": 20}),
    "search": lambda user: ("/search", {"user": user, "query": "star wars", "limit": 20}),
    "signal, durable": lambda user: ("/signals", {"signal": "view", "item": user, "user": user}),
}


def ask(connection, path, body):
    connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
    response = connection.getresponse()
    text = response.read()
    if response.status != 200:
        raise SystemExit(f"{path} answers {response.status}: {text.decode()}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--target", default="http://127.0.0.1:9500")
    arguments.add_argument("--requests", type=int, default=500)
    options = arguments.parse_args()
    address = urllib.parse.urlsplit(options.target)
    connection = http.client.HTTPConnection(address.hostname, address.port)
    print(f"{'query':20} {'mean ms':>9} {'median ms':>10}")
    for name, query in QUERIES.items():
        times = []
        for number in range(options.requests + 20):
            path, body = query(1 + number % 900)
            start = time.perf_counter()
            ask(connection, path, body)
            times.append((time.perf_counter() - start) * 1e3)
        times = times[20:]
        print(f"{name:20} {statistics.mean(times):9.3f} {statistics.median(times):10.3f}")


if __name__ == "__main__":
    main()
