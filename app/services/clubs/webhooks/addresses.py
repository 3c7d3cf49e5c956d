"""Which addresses anyone on the internet can reach: nobody lets the service call into the network that it stands in."""

import ipaddress
from ipaddress import IPv4Address, IPv6Address
from typing import Final, TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address

_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_TRANSLATED: Final = ipaddress.IPv6Network("::ffff:0:0:0/96")
_COMPATIBLE: Final = ipaddress.IPv6Network("::/96")


def is_public(address: str) -> bool:
    """Return whether an address is public, and so is each address that it contains.

    An IPv6 address may contain one of IPv4, where routers on the way unpack it: mapped, translated (RFC 6052, 7915),
    6to4 (RFC 3056) or Teredo (RFC 4380).
    """
    try:
        read = ipaddress.ip_address(address)
    except ValueError:
        return False
    return all(one.is_global and not one.is_multicast and not one.is_reserved for one in _all_in(read))


def _all_in(address: Address) -> list[Address]:
    """The addresses that packets to this one may come to."""
    if isinstance(address, IPv4Address):
        return [address]
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    last = IPv4Address(int(address) & 0xFFFF_FFFF)
    if address in _NAT64:
        return [last]  # the prefix itself is reserved, and for just this
    if address in _TRANSLATED or address in _COMPATIBLE:
        return [address, last]
    if address.sixtofour is not None:
        return [address.sixtofour]
    if address.teredo is not None:
        return [address, *address.teredo]
    return [address]
