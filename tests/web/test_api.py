"""The JSON API, through the application itself and through the running server."""

import httpx2 as httpx
import pytest

import kappamax as km

TABLE = {"counts": km.example("rapallo2022").dense().tolist(), "ordered": True}


def test_a_table_gives_the_report_with_pictures_and_calls(client):
    """The same numbers as the library."""
    answer = client.post("/api/table", json=TABLE | {"weights": ["linear"]}).json()
    assert answer["results"][0]["value"] == km.kappa(km.example("rapallo2022"), weights="linear").value
    assert answer["pictures"]["by_weights"]["linear"]["maximum"].startswith("<svg")
    assert answer["pictures"]["pairs"] is None
    assert "km.from_counts" in answer["calls"]["python"]


def test_the_running_server_answers(server):
    """Over a real connection."""
    answer = httpx.post(f"{server}/api/table", json=TABLE | {"weights": ["linear"]})
    assert answer.status_code == 200
    assert answer.json()["results"][0]["maximum"] == pytest.approx(166 / 221)
