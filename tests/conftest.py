"""Settings that keep tests deterministic and off the network."""

import os

os.environ.setdefault("LOPSIDED_OFFLINE", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
