#!/usr/bin/env python3
"""Uses `gktune mcp` by the client that PyPI has (mcp): mcp_test.py GKTUNE

Without the client it says so and succeeds.
"""

import json
import os
import sys
import tempfile
import time
import unittest

try:
    import anyio
    from mcp import Client, MCPError, StdioServerParameters
except ImportError as error:
    print(f"skipped: the package mcp is missing: {error}", file=sys.stderr)
    sys.exit(0)

SPACE = """kernel: twice
source: twice.cu
problem: {n: [1000]}
parameters: {width: {values: [64, 128], default: 64}}
arguments:
  in: {type: float, extent: n, init: {uniform: [0.5, 1], seed: 1}}
  out: {type: float, extent: n, role: out, check: {relative: 1e-5}}
  n: {type: int32, value: n}
launches: {entry: twice, grid: "ceil_div(n, width)", block: width, arguments: [in, out, n]}
reference:
  launches: {entry: twice_reference, grid: 1, block: 64, arguments: [in, out, n]}
"""
SOURCE = """__global__ void twice(const float* in, float* out, int n) {
  int i = blockIdx.x * width + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
__global__ void twice_reference(const float* in, float* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i] + in[i];
}
"""
CANDIDATE = """/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  GUARD out[i] = 2 * in[i];
}
"""


class Mcp(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("twice.yaml", SPACE)
        self.write("twice.cu", SOURCE)
        self.write("good.cu", CANDIDATE.replace("GUARD", "if (i < n)"))
        self.write("outside.cu", CANDIDATE.replace("GUARD ", ""))
        environment = {"XDG_CACHE_HOME": os.path.join(self.folder.name, "cache"), "NO_COLOR": "1"}
        server = StdioServerParameters(command=PROGRAM, args=["mcp"], env=environment, cwd=self.folder.name)
        self.client = Client(server)

    def write(self, name: str, text: str) -> None:
        with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as file:
            file.write(text)

    async def call(self, name: str, **arguments):
        """The result's JSON. A failed call fails the test."""
        result = await self.client.call_tool(name, arguments)
        self.assertFalse(result.is_error, result)
        return json.loads(result.content[0].text)

    async def test_tools_and_resources_are_listed_and_read(self) -> None:
        async with self.client:
            tools = {tool.name: tool for tool in (await self.client.list_tools()).tools}
            self.assertEqual(set(tools), {"check", "judge", "tune", "best", "explain", "devices"})
            self.assertEqual(tools["judge"].input_schema["required"], ["space", "candidates"])
            resources = (await self.client.list_resources()).resources
            self.assertGreater(len(resources), 5)
            for resource in resources:
                self.assertTrue((await self.client.read_resource(resource.uri)).contents[0].text)
            page = await self.client.read_resource("gktune://docs/space-file.md")
            self.assertTrue(page.contents[0].text.startswith("# "))

    async def test_a_kernel_is_checked_explained_judged_tuned_and_looked_up(self) -> None:
        async with self.client:
            devices = await self.call("devices")
            self.assertIn("host", [device["kind"] for device in devices])
            found = await self.call("check", space="twice.yaml", candidate="outside.cu", sanitize=True, problems=["n=1"])
            finding = found["findings"][0]
            self.assertEqual(finding["status"], "illegal_access")
            explained = await self.client.call_tool("explain", {"status": finding["status"], "message": finding["message"]})
            self.assertIn("likely cause: an index beyond the end", explained.content[0].text)
            self.assertIn(">    6 |   out[i] = 2 * in[i];", explained.content[1].text)
            verdicts = await self.call(
                "judge", space="twice.yaml", candidates=["outside.cu", "good.cu"], device="host", time="300ms"
            )
            self.assertEqual([each["verdict"] for each in verdicts], ["out_of_bounds", "accepted"])
            tuned = await self.call("tune", spaces=["twice.yaml"], device="host", effort="quick", trials=2)
            self.assertEqual(len(tuned["results"]), 1)
            best = await self.call("best", kernel="twice", problem="n=1000")
            self.assertIn("width", best["config"])

    async def test_a_failure_of_a_tool_is_a_result(self) -> None:
        async with self.client:
            result = await self.client.call_tool("tune", {"spaces": ["absent.yaml"]})
            self.assertTrue(result.is_error)
            self.assertIn("absent.yaml", result.content[0].text)
            result = await self.client.call_tool("check", {"space": "--help"})
            self.assertTrue(result.is_error, "a value is no flag")
            result = await self.client.call_tool("explain", {"status": "unwell"})
            self.assertTrue(result.is_error)

    async def test_wrong_arguments_are_errors_of_the_protocol(self) -> None:
        async with self.client:
            for name, arguments in [
                ("tuna", {}),
                ("judge", {"space": "twice.yaml"}),
                ("judge", {"space": "twice.yaml", "candidates": "good.cu"}),
                ("check", {"space": "twice.yaml", "sample": "4"}),
                ("check", {"space": "twice.yaml", "colour": "red"}),
            ]:
                with self.assertRaises(MCPError, msg=name) as raised:
                    await self.client.call_tool(name, arguments)
                self.assertEqual(raised.exception.code, -32602)
            with self.assertRaises(MCPError):
                await self.client.read_resource("gktune://docs/absent.md")

    async def test_a_long_call_reports_progress_and_can_be_cancelled(self) -> None:
        async with self.client:
            width = "width: {values: [64, 128], default: 64}"
            self.assertIn(width, SPACE)
            many = f"width: {{values: {list(range(1, 1001))}, default: 64}}"  # takes minutes to compile
            self.write("many.yaml", SPACE.replace(width, many))
            steps: list[float] = []

            async def note(progress: float, total: float | None, message: str | None) -> None:
                steps.append(progress)
                if len(steps) == 2:
                    scope.cancel()

            begin = time.monotonic()
            with anyio.CancelScope() as scope:
                await self.client.call_tool(
                    "tune", {"spaces": ["many.yaml"], "device": "host", "time": "10min", "trials": 100000},
                    progress_callback=note,
                )  # fmt: skip
                self.assertTrue(scope.cancel_called, "it ended by itself")
            self.assertEqual(steps, sorted(set(steps)))
            self.assertLess(time.monotonic() - begin, 60)
            self.assertTrue(await self.call("devices"), "the server goes on")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
