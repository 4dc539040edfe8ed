"""The report in a real browser: every figure draws, every button works, nothing is asked of a network."""

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import skipped
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from knee.opened import Study
from knee.plots.style import config
from knee.report.export import export

EVIL = "</script><script>document.title='pwned'</script>\"'<b>&amp;"


@pytest.fixture(scope="module")
def study(tmp_path_factory, binary) -> Path:
    """A small real study of a program with a hostile name, one run of which is bad, and hostile output."""
    import subprocess

    folder = tmp_path_factory.mktemp("report")
    program = folder / "<script>alert(1)"
    # Long enough for samples where the sampler starts late, too.
    program.write_text(f"#!/bin/sh\nsleep 0.$1; echo {json.dumps(EVIL)} >&2; test $1 -lt 3\n")
    program.chmod(0o755)
    words = ["study", "--no-report", "--out", "s", "--blocks", "2", "--factor", "threads=1,2,3", "--name", EVIL]
    done = subprocess.run(
        [binary, *words, "--", str(program), "{threads}"], cwd=folder, capture_output=True, check=False
    )
    assert done.returncode == 1, done.stderr  # runs were rejected
    export(Study.read(folder / "s"), "html")
    return folder / "s/report.html"


@pytest.fixture(scope="module")
def downloads(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="module")
def browser(study, downloads) -> Iterator[webdriver.Chrome]:
    driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
    if not driver or not chromium:
        skipped("test_report", "no chromium or no chromedriver")
    options = Options()
    options.binary_location = chromium
    quiet = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync", "--disable-quic"]
    for flag in [*quiet, "--disable-background-networking", "--disable-component-update", "--window-size=1280,1200"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    with webdriver.Chrome(options=options, service=Service(driver)) as made:
        made.get(study.as_uri())
        wait_until(lambda: made.find_element(By.TAG_NAME, "body").get_attribute("data-ready"))
        yield made


def wait_until(true, what: str = "it", seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"{what} did not come"
        time.sleep(0.05)


def shown(browser) -> list:
    return [place for place in browser.find_elements(By.CSS_SELECTOR, ".figure") if place.is_displayed()]


def test_every_figure_draws(browser):
    assert browser.find_element(By.TAG_NAME, "body").get_attribute("data-ready") == "yes"
    places = shown(browser)
    assert len(places) >= 6
    for place in places:
        assert place.get_attribute("data-drawn") == "yes"
        assert place.find_elements(By.CSS_SELECTOR, "svg path, svg rect, svg text"), place.get_attribute("data-figure")
        assert place.size["width"] > 600


def test_the_toggle_shows_the_other_axes(browser):
    buttons = {button.text: button for button in browser.find_elements(By.CSS_SELECTOR, "button[data-show]")}
    for name, figure in (("logarithmic", "speedup-log"), ("linear", "speedup")):
        buttons[name].click()
        assert buttons[name].get_attribute("aria-pressed") == "true"
        place = browser.find_element(By.CSS_SELECTOR, f'[data-figure="{figure}"]')
        wait_until(lambda place=place: place.get_attribute("data-drawn") == "yes")
        assert place.is_displayed()
        assert place.find_elements(By.CSS_SELECTOR, "svg path")


def test_menus_change_what_is_drawn(browser):
    place = browser.find_element(By.CSS_SELECTOR, '[data-figure="cpu-use"]')
    menu = place.find_element(By.TAG_NAME, "select")
    options = menu.find_elements(By.TAG_NAME, "option")
    assert len(options) >= 2
    before = place.find_element(By.TAG_NAME, "svg").get_attribute("innerHTML")
    next(option for option in options if not option.is_selected()).click()
    wait_until(lambda: place.find_element(By.TAG_NAME, "svg").get_attribute("innerHTML") != before)


def test_every_download_arrives(browser, downloads):
    for button in browser.find_elements(By.CSS_SELECTOR, "button[data-save]"):
        if button.is_displayed():
            form, name = button.get_attribute("data-save"), button.get_attribute("data-of") or "analysis"
            path = downloads / f"{name}.{form}"
            path.unlink(missing_ok=True)
            button.click()
            wait_until(lambda path=path: path.exists() and path.stat().st_size > 20, path.name)
            begins = {"svg": b"<svg", "png": b"\x89PNG", "json": b"{", "csv": b""}[form]
            assert path.read_bytes().startswith(begins), path.name
    runs = (downloads / "runs.csv").read_text().splitlines()
    assert len(runs) >= 1 + 6
    assert json.loads((downloads / "analysis.json").read_text())["schema"] == 1


def test_tables_open_under_every_figure(browser):
    for details in browser.find_elements(By.CSS_SELECTOR, ".panel:not([hidden]) details[data-table]"):
        details.find_element(By.TAG_NAME, "summary").click()
        wait_until(lambda details=details: len(details.find_elements(By.TAG_NAME, "tr")) > 1)


def test_hostile_names_and_output_are_text(browser):
    assert browser.title.startswith("</script>")
    assert browser.find_element(By.TAG_NAME, "h1").text == EVIL
    assert any(EVIL in pre.get_attribute("textContent") for pre in browser.find_elements(By.TAG_NAME, "pre"))
    assert browser.execute_script("return document.querySelectorAll('h1 b, h1 script, .verdict b').length") == 0


def test_dark_and_narrow_pages_draw_as_well(browser):
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 400, "height": 900, "deviceScaleFactor": 1, "mobile": True}
    )
    browser.refresh()
    wait_until(lambda: browser.find_element(By.TAG_NAME, "body").get_attribute("data-ready") == "yes")
    ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert sum(map(int, ground[4:-1].split(","))) < 200
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 400
    ends = browser.execute_script(
        "return [...document.querySelectorAll('.role-legend')].map((one) => one.getBoundingClientRect().right)"
    )
    assert len(ends) > 3
    assert max(ends) <= 400, "legends are whole"
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_what_a_dark_page_saves_is_dark_on_white_and_says_what_its_menu_shows(browser, downloads):
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    )
    browser.refresh()
    wait_until(lambda: browser.find_element(By.TAG_NAME, "body").get_attribute("data-ready") == "yes")
    place = browser.find_element(By.CSS_SELECTOR, '[data-figure="cpu-use"]')
    options = place.find_elements(By.CSS_SELECTOR, "option")
    chosen = next(option for option in options if not option.is_selected())
    chosen.click()
    path = downloads / "cpu-use.svg"
    path.unlink(missing_ok=True)
    browser.find_element(By.CSS_SELECTOR, '[data-save="svg"][data-of="cpu-use"]').click()
    wait_until(lambda: path.exists() and path.stat().st_size > 20, path.name)
    saved = path.read_text()
    assert config("light")["title"]["color"] in saved
    assert config("dark")["title"]["color"] not in saved
    assert 'fill="white"' in saved
    assert f"run: {chosen.text}<" in saved
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_no_error_was_logged_and_no_request_left_the_page(browser, study):
    assert [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")] == []
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    requests = {e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"}
    allowed = {study.as_uri(), "data:,"}
    assert {url for url in requests if url not in allowed and not url.startswith(("blob:", "data:"))} == set()


def test_the_page_is_one_file_under_two_megabytes(study):
    text = study.read_text()
    assert len(text.encode()) < 2_000_000
    assert "src=" not in text.split("<script>")[0]
    assert text.count("<script>") == 2
