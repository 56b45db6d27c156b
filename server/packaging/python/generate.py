"""Generates the client from server/openapi.json when a wheel is built: its 55,000 lines are not committed."""

import subprocess
import sys
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GenerateClient(BuildHookInterface):
    def initialize(self, version, build_data):
        root = Path(self.root)
        self.folder = tempfile.TemporaryDirectory()
        generated = Path(self.folder.name) / "roundtrip_client"
        command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
        command += ["--path", root.parents[1] / "openapi.json", "--config", root / "generator.yml"]
        command += ["--output-path", generated]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        build_data["force_include"][str(generated)] = "roundtrip_client"

    def finalize(self, version, build_data, artifact_path):
        self.folder.cleanup()
