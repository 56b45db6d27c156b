"""Compares the client with `roundtrip export`: both read the same server.

Run by `cargo xtask notebooks`. Arguments: the server's address, then a project and its export for each.
"""

import sys
import unittest

import pandas
from roundtrip_client import Client, dataframe
from roundtrip_client.dataframe import RequestRejected, read_points

SERVER, *PAIRS = sys.argv[1:]
EXPORTS = dict(zip(PAIRS[::2], PAIRS[1::2], strict=True))
CLIENT = Client(SERVER)


def ordered(points: pandas.DataFrame) -> pandas.DataFrame:
    points = points.sort_values(["series_id", "commit_ordinal", "run_id"]).reset_index(drop=True)
    return points.convert_dtypes()


class TestReadPoints(unittest.TestCase):
    def assert_same(self, exported: pandas.DataFrame, read: pandas.DataFrame) -> None:
        exported = exported.dropna(axis="columns", how="all")
        self.assertEqual(set(exported.columns), set(read.columns))
        pandas.testing.assert_frame_equal(ordered(exported), ordered(read)[exported.columns], check_dtype=False)

    def test_reads_what_the_export_has(self):
        for project, file in EXPORTS.items():
            with self.subTest(project):
                exported = pandas.read_parquet(file)
                self.assertGreater(len(exported), 0)
                self.assert_same(exported, read_points(CLIENT, project))

    def test_reads_long_series_page_by_page(self):
        project, file = next(iter(EXPORTS.items()))
        exported = pandas.read_parquet(file).query("transport == 'seeded-pipe' and machine == 'seeded-1'")
        self.addCleanup(setattr, dataframe, "POINTS_MAX", dataframe.POINTS_MAX)
        self.addCleanup(setattr, dataframe, "POINTS_AT_ONCE", dataframe.POINTS_AT_ONCE)
        dataframe.POINTS_MAX, dataframe.POINTS_AT_ONCE = 7, 5
        read = read_points(CLIENT, project, q="seeded-pipe", machine=["seeded-1"], mode="2proc")
        self.assertGreater(read.groupby("series_id").size().min(), dataframe.POINTS_MAX)
        self.assert_same(exported.query("mode == '2proc'"), read)
        for _, ordinals in read.groupby("series_id").commit_ordinal:
            self.assertTrue(ordinals.is_monotonic_increasing)

    def test_reports_the_servers_reason(self):
        with self.assertRaisesRegex(RequestRejected, "absent"):
            read_points(CLIENT, "absent")
        self.assertTrue(read_points(CLIENT, next(iter(EXPORTS)), q="absent").empty)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
