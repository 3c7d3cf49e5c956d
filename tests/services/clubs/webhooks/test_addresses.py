"""Which addresses are public, from the registries of IANA (iana-ipv4-special-registry, iana-ipv6-special-registry)."""

import pytest

from app.services.clubs.webhooks.addresses import is_public

PUBLIC = ["1.1.1.1", "93.184.215.14", "2606:4700:4700::1111", "2a00:1450:4001:81b::200e"]
OF_NETWORKS = [
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", OF_NETWORKS)
def test_addresses_of_networks_are_not(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "::",
        "::1",
        "fe80::1",
        "fe80::1%2",
        "fc00::1",
        "fd12:3456::1",
        "ff02::1",
        "2001:db8::1",
        "100::1",
        "64:ff9b:1::a00:1",
        "",
        "localhost",
        "127.1",
        "2130706433",
        "0x7f.0.0.1",
    ],
)
def test_neither_are_those_of_machines_groups_and_documents_nor_what_is_none(address: str) -> None:
    assert not is_public(address)


def hexadecimal(address: str) -> str:
    """10.1.2.3 is 0a01:0203."""
    one, two, three, four = (int(part) for part in address.split("."))
    return f"{one:02x}{two:02x}:{three:02x}{four:02x}"


@pytest.mark.parametrize("address", OF_NETWORKS)
@pytest.mark.parametrize("form", ["::ffff:{}", "64:ff9b::{}", "2002:{}::1", "::ffff:0:{}", "::{}"])
def test_an_address_that_contains_one_of_a_network_is_not_public(address: str, form: str) -> None:
    """Mapped (RFC 4291, 2.5.5.2), NAT64 (RFC 6052, 2.1), 6to4 (RFC 3056, 2), translated and compatible ones."""
    assert not is_public(form.format(hexadecimal(address)))


@pytest.mark.parametrize("form", ["::ffff:{}", "64:ff9b::{}", "2002:{}::1"])
def test_an_address_that_contains_a_public_one_is_public(form: str) -> None:
    assert is_public(form.format(hexadecimal("93.184.215.14")))


def test_a_tunnel_to_a_network_is_not_public() -> None:
    """Teredo (RFC 4380, 4): the server, and the client with all its bits turned."""
    assert not is_public("2001:0:a01:203::ffff:ffff")
