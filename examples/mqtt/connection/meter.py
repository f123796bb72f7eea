"""A meter on one MQTT connection: it publishes with quality of service 2 and does not wait for the end of one exchange
before it begins the next.

    python meter.py PORT FILE      writes the log of the client to FILE

The meter is small: it has four mids (message ids), and takes the one that has been free for the longest time. So exchanges
overlap, and a mid is used again and again, each time after its exchange is over.
"""

import logging
import sys
import threading
import time

import paho.mqtt.client as mqtt

READINGS = 24
MIDS = 4


class Meter(mqtt.Client):
    """A client with few mids; who wants one waits until one is free."""

    def __init__(self):
        super().__init__(mqtt.CallbackAPIVersion.VERSION2, client_id="meter")
        self.free = list(range(1, MIDS + 1))
        self.changed = threading.Condition()
        self.on_publish = self.release

    def _mid_generate(self):
        with self.changed:
            if not self.changed.wait_for(lambda: self.free, timeout=10):
                sys.exit("meter: no mid became free within ten seconds")
            return self.free.pop(0)

    def release(self, _client, _userdata, mid, _reason, _properties):
        """PUBCOMP came, so the exchange is over."""
        with self.changed:
            self.free.append(mid)
            self.changed.notify()


def main():
    port, path = int(sys.argv[1]), sys.argv[2]
    logger = logging.getLogger("meter")
    handler = logging.FileHandler(path, mode="w", encoding="utf-8")
    form = logging.Formatter("%(asctime)s.%(msecs)03dZ %(message)s", "%Y-%m-%dT%H:%M:%S")
    form.converter = time.gmtime
    handler.setFormatter(form)
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    client = Meter()
    client.enable_logger(logger)
    client.max_inflight_messages_set(MIDS)
    client.connect("127.0.0.1", port)
    client.loop_start()
    deadline = time.monotonic() + 10
    while not client.is_connected() and time.monotonic() < deadline:
        time.sleep(0.01)
    sent = []
    for number in range(READINGS):
        sent.append(client.publish("home/meter", f"{300 + 7 * number % 50} W", qos=2))
        # Readings come in bursts.
        time.sleep(0.04 if number % MIDS == MIDS - 1 else 0)
    for message in sent:
        message.wait_for_publish(timeout=10)
    client.disconnect()
    client.loop_stop()


if __name__ == "__main__":
    main()
