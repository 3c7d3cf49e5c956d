"""Nicknames lose their invisible characters and are folded anew."""

from collections import defaultdict
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from alembic import op

from app.scoring.nickname import folded, without_invisible

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_NICKNAMES = sa.table("nicknames", *(sa.column(name) for name in ("club_id", "folded", "nickname", "player_id")))
_PLAYERS = sa.table("players", *(sa.column(name) for name in ("id", "nickname", "merged_into")))


def upgrade() -> None:
    """Where two players would become one, both keep their nicknames, and the one who came first is found by it."""
    rows = op.get_bind().execute(sa.select(_NICKNAMES).order_by(_NICKNAMES.c.club_id, _NICKNAMES.c.player_id)).all()
    for _, claims in groupby(rows, key=lambda row: row.club_id):
        of_club = list(claims)
        owners = {claim.folded: claim.player_id for claim in of_club}
        contested = _contested(of_club)
        for claim in of_club:
            name = folded(claim.nickname)
            if name not in ("", claim.folded) and owners.setdefault(name, claim.player_id) == claim.player_id:
                spelled = claim.nickname if name in contested else without_invisible(claim.nickname).strip()
                _claim_anew(claim, name, spelled)
    _respell_merged()


def downgrade() -> None:
    """Nothing: which characters were dropped is not known, and older services read what is left."""


def _contested(claims: list[Any]) -> set[str]:
    """The folded nicknames that several players of a club have."""
    owners: dict[str, set[int]] = defaultdict(set)
    for claim in claims:
        owners[folded(claim.nickname)].add(claim.player_id)
    return {name for name, players in owners.items() if len(players) > 1}


def _claim_anew(claim: Any, name: str, spelled: str) -> None:
    """Replace a claim, perhaps by one that the player has already, and keep the current nickname one of his claims."""
    is_current = sa.exists().where(_PLAYERS.c.id == claim.player_id, _PLAYERS.c.nickname == claim.nickname)
    before = _NICKNAMES.c.club_id == claim.club_id, _NICKNAMES.c.folded == claim.folded
    anew = _NICKNAMES.c.club_id == claim.club_id, _NICKNAMES.c.folded == name
    if op.get_bind().scalar(sa.select(sa.exists().where(*anew))):
        op.execute(sa.delete(_NICKNAMES).where(*before))
        op.execute(sa.update(_NICKNAMES).where(*anew, is_current).values(nickname=spelled))
    else:
        op.execute(sa.update(_NICKNAMES).where(*before).values(folded=name, nickname=spelled))
    of_player = _PLAYERS.c.id == claim.player_id, _PLAYERS.c.nickname == claim.nickname
    op.execute(sa.update(_PLAYERS).where(*of_player).values(nickname=spelled))


def _respell_merged() -> None:
    """What merged players were called nobody else claims as his own."""
    merged = sa.select(_PLAYERS.c.id, _PLAYERS.c.nickname).where(_PLAYERS.c.merged_into.is_not(None))
    for player in op.get_bind().execute(merged).all():
        spelled = without_invisible(player.nickname).strip()
        if spelled not in ("", player.nickname):
            op.execute(sa.update(_PLAYERS).where(_PLAYERS.c.id == player.id).values(nickname=spelled))
