r"""Announces the table in a Telegram chat after each game; needs python-telegram-bot.

SEASON=https://…/v1/clubs/moscow/seasons/spring WEBHOOK_SECRET=whsec_… BOT_TOKEN=… CHAT=@club \
    python -m docs.examples.telegram_bot 8080
"""

import asyncio
import os
import sys
from http.server import ThreadingHTTPServer
from typing import Any

import httpx
from telegram import Bot

from docs.examples.receiver import Receiver


class Announcer(Receiver):
    """Answers when the chat has the table; if Telegram is down, the event comes again."""

    def take(self, id: str, event: dict[str, Any]) -> None:
        """Announce the table of the season as it is now."""
        table = httpx.get(f"{os.environ['SEASON']}/standings").raise_for_status().json()
        rows = [row for row in table["rows"] if row["rank"] is not None][:10]
        lines = [f"{row['rank']}. {row['player']['nickname']} — {row['values'][table['order']]}" for row in rows]
        asyncio.run(self.say("\n".join([f"Сыграно игр: {table['games']}", *lines])))

    async def say(self, text: str) -> None:
        """Send a message to the chat."""
        api = os.environ.get("TELEGRAM_API", "https://api.telegram.org/bot")
        async with Bot(os.environ["BOT_TOKEN"], base_url=api) as bot:
            await bot.send_message(os.environ["CHAT"], text)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Announcer).serve_forever()
