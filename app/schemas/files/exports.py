"""What templates are asked for by."""

from typing import Annotated

from pydantic import Field

from app.schemas.rule_systems import SystemQuery
from app.scoring.terms import Format


class TemplateQuery(SystemQuery):
    """Which sheet."""

    format: Annotated[Format, Field(description="Games of a tournament have a stage.")] = "season"
