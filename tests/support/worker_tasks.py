"""Tasks that other processes import by name."""

import threading


def doubled(number):
    return 2 * number


def wait_forever(_number):
    print("busy\n", end="", flush=True)
    threading.Event().wait()
