"""Each violation that can happen without storage is named by a golden case."""

from tests.scoring.golden import Found, golden_files

# fmt: off
CODES = {
    "table_size", "role_count", "role_unknown_here", "seat_duplicate", "seat_out_of_range", "player_duplicate",
    "outcome_unknown_here", "first_kill_unknown_seat", "best_move_size", "best_move_duplicate",
    "best_move_unknown_seat", "best_move_without_first_kill", "bonus_in_draw", "bonus_range",
    "bonus_players_exceeded", "bonus_total_exceeded", "bonus_precision", "penalty_unknown", "penalty_role",
    "penalty_without_loss", "penalty_duplicate", "ppk_unknown_seat", "ppk_without_loss", "stage_required",
    "stage_not_allowed", "days_lived_required", "days_lived_invalid", "draw_makers_required", "draw_makers_size",
    "draw_makers_unknown_seat", "draw_makers_not_allowed", "night_action_role", "night_action_unknown_seat",
    "saved_not_doctor", "night_contradiction", "night_dead_target", "night_dead_actor", "night_acts_exceeded",
    "field_not_used_here",
}
# fmt: on
"""Every code of a violation but those that need a club: `unknown_player`, `player_mismatch` and the season's days."""


def test_every_violation_that_needs_no_storage_has_a_golden_case() -> None:
    named = {
        Found.written(violation).code
        for golden in golden_files()
        for case in (*golden.games, *golden.standings)
        for violation in case.violations
    }
    assert CODES - named == set()
    assert named - CODES == set()
