"""Points of a project as a pandas DataFrame."""

import itertools
import json
import time
from collections.abc import Iterable, Iterator

import pandas

from .api.points import list_points
from .api.series import list_series
from .client import AuthenticatedClient, Client
from .models import ListPointsLines, PointList, SeriesList, SeriesPoints, SeriesSummary
from .types import UNSET

# The limits of the server: series in a list; points of one series.
LISTED_MAX = 1000
POINTS_MAX = 10_000
# Most series have fewer points than this, so that one request reads many.
SERIES_AT_ONCE = 20
POINTS_AT_ONCE = 1000

# Too many requests, and a server that is overloaded or restarts.
BUSY = {429, 503}
ATTEMPTS_MAX = 5

# The columns of stated values that samples have too.
STATED_NAMES = {"min_ns": "latency_ns_min", "max_ns": "latency_ns_max"}
PERCENTS = {"p25": 25, "p50": 50, "p75": 75, "p90": 90, "p98": 98, "p99": 99, "p999": 99.9}
QUANTILE_NAMES = {round(percent * 10_000): f"latency_ns_{name}" for name, percent in PERCENTS.items()}


class RequestRejected(Exception):
    """The server rejected a request. The message is the server's."""


def read_points(
    client: Client | AuthenticatedClient,
    project: str,
    *,
    lines: str = "main",
    **filters: str | int | Iterable[str | int],
) -> pandas.DataFrame:
    """Reads all points of all matching series, by series, the oldest commit first.

    `filters` are the parameters of the list of series: `q` for words, and `machine`, `transport`, `scenario`, `mode`,
    `placement`, `message_bytes` and `peers` for one value or several. `lines="all"` includes runs outside of the trend.

    The columns are those of `roundtrip export`, as far as any point has them. Times are in nanoseconds.
    """
    rows = []
    series = list(_series(client, project, filters))
    for start in range(0, len(series), SERIES_AT_ONCE):
        rows += _rows(client, series[start : start + SERIES_AT_ONCE], ListPointsLines(lines))
    points = pandas.DataFrame(rows)
    for column in ("committed_at", "measured_at"):
        if column in points:
            points[column] = pandas.to_datetime(points[column], format="ISO8601", utc=True)
    return points


def _series(client, project: str, filters: dict) -> Iterator[SeriesSummary]:
    several = {name: value for name, value in filters.items() if not isinstance(value, str | int)}
    asked = filters | {name: ",".join(map(str, values)) for name, values in several.items()}
    asked = {name: str(value) for name, value in asked.items()}
    after = UNSET
    while after is not None:
        page: SeriesList = _answer(list_series, client=client, project=project, limit=LISTED_MAX, after=after, **asked)
        yield from page.series
        after = page.next_after


def _rows(client, series: list[SeriesSummary], lines: ListPointsLines) -> Iterator[dict]:
    """The rows of a few series, in their order."""
    ids = ",".join(str(one.series_id) for one in series)
    found: PointList = _answer(list_points, client=client, series=ids, limit=POINTS_AT_ONCE, lines=lines)
    committed_at = _commit_dates(found)
    for one, own in zip(series, found.series, strict=True):
        if max(len(own.points), len(own.summaries)) < POINTS_AT_ONCE:
            yield from _rows_of_series(one, own, committed_at)
            continue
        for page in reversed(list(_pages(client, one.series_id, lines))):
            yield from _rows_of_series(one, page.series[0], _commit_dates(page))


def _pages(client, series_id: int, lines: ListPointsLines) -> Iterator[PointList]:
    """All points of one series, in pages from the newest to the oldest."""
    to = UNSET
    asked = {"series": str(series_id), "limit": POINTS_MAX, "lines": lines}
    while True:
        page: PointList = _answer(list_points, client=client, to=to, **asked)
        (own,) = page.series
        points = own.points or own.summaries
        if len(points) < POINTS_MAX:
            yield page
            return
        # The page may not have all runs of its oldest commit: the next one has.
        to = points[0].commit_ordinal
        own.points = [point for point in own.points if point.commit_ordinal > to]
        own.summaries = [point for point in own.summaries if point.commit_ordinal > to]
        if not own.points and not own.summaries:
            raise RequestRejected(f"series {series_id} has {POINTS_MAX} runs or more of commit {to}: expected fewer")
        yield page


def _commit_dates(page: PointList) -> dict[str, str]:
    return {commit.sha: commit.committed_at.isoformat() for commit in page.commits}


def _rows_of_series(series: SeriesSummary, own: SeriesPoints, committed_at: dict[str, str]) -> Iterator[dict]:
    measured = _columns_of_series(series)
    for point in own.points + own.summaries:
        values = _values(point.to_dict())
        main = values.get("center_ns", values.get("latency_ns_p50"))
        values["value"] = main / (measured.get("operations") or 1)
        yield measured | {"committed_at": committed_at[point.commit_sha]} | values


def _columns_of_series(series: SeriesSummary) -> dict:
    case = series.case.to_dict()
    measure = case.pop("measure", None)
    columns = {
        "series_id": series.series_id,
        "project": series.project,
        "machine": series.machine,
        "transport": series.transport.slug,
        "family": series.transport.family,
        "control": series.transport.control,
    }
    unit = {"unit": "ns", "better": "lower"}
    if measure:
        unit = {"measure": measure["name"], "unit": measure["unit"], "better": measure["better"]}
    return columns | case | series.methodology.to_dict() | unit


def _values(point: dict) -> dict:
    """The present values, with joined names: `latency_ns_p50`. Stated quantiles join those of samples."""
    values = {}
    for name, value in point.items():
        if isinstance(value, dict):
            values |= {f"{name}_{inner}": number for inner, number in value.items()}
        elif value is not None:
            values[STATED_NAMES.get(name, name)] = value
    quantiles = values.pop("quantiles", [])
    if quantiles:
        stated = [{"q_ppm": quantile["q_ppm"], "ns": quantile["ns"]} for quantile in quantiles]
        values["stated_quantiles"] = json.dumps(stated, separators=(",", ":"))
    for quantile in quantiles:
        if name := QUANTILE_NAMES.get(quantile["q_ppm"]):
            values[name] = quantile["ns"]
    return values


def _answer(operation, **arguments):
    """The answer to a request. A busy server rejects it and says how long to wait."""
    for attempt in itertools.count(1):
        response = operation.sync_detailed(**arguments)
        if response.status_code == 200:
            return response.parsed
        if response.status_code not in BUSY or attempt == ATTEMPTS_MAX:
            raise RequestRejected(getattr(response.parsed, "detail", None) or f"status {response.status_code}")
        time.sleep(int(response.headers.get("retry-after", 1)))
