"""What all MILO nodes share: message conversions, QoS profiles, a robust main."""

__version__ = "0.1.0"
