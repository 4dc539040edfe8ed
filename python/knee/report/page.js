"use strict";
(() => {
  // Tables come column by column; a column that repeats texts or lists as its levels and their places (report/packed.py).
  function rows(columns) {
    const each = Object.entries(columns).map(([name, one]) => [name, one.levels ? one.places.map((place) => one.levels[place]) : one]);
    return each[0][1].map((_, row) => Object.fromEntries(each.map(([name, values]) => [name, values[row]])));
  }
  const data = JSON.parse(document.getElementById("data").textContent, (_, value) => {
    return Array.isArray(value) && value[0] === "$rows" && value[1] && typeof value[1] === "object" ? rows(value[1]) : value;
  });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const views = new Map();
  // What went wrong is said on the page as well: a figure that is missing must not look like one that was left out.
  const failed = [];
  const SHOWN = 2000;

  async function draw(place) {
    const name = place.dataset.figure;
    const figure = data.figures[name];
    try {
      views.get(name)?.finalize();
      const config = data.configs[dark.matches ? "dark" : "light"];
      const made = await vegaEmbed(place, figure.spec, { actions: false, renderer: "svg", config });
      views.set(name, made);
      place.dataset.drawn = "yes";
    } catch (error) {
      failed.push(name);
      place.textContent = "This figure could not be drawn: " + error.message;
    }
  }

  async function drawShown() {
    for (const place of document.querySelectorAll(".figure")) {
      if (!place.closest("[hidden]")) await draw(place);
    }
    document.body.dataset.ready = failed.length ? "failed" : "yes";
  }

  function save(name, type, content) {
    const link = document.createElement("a");
    const blob = content instanceof Blob ? content : new Blob([content], { type });
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    // A busy machine may begin to read it late.
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  // A table that is the data of its figure is not embedded twice.
  const rowsOf = (name) => data.figures[name].rows ?? data.figures[name].spec.data.values;

  function csv(rows) {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const field = (value) => {
      let text = value === null || value === undefined ? "" : String(value);
      // A spreadsheet would run text that begins like a formula.
      if (typeof value === "string" && /^[=+\-@\t]/.test(text)) text = "'" + text;
      return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
    };
    return [names, ...rows.map((row) => names.map((name) => row[name]))].map((line) => line.map(field).join(",")).join("\n") + "\n";
  }

  // A figure as it is saved: on a white ground, whatever the page's is, and with what its menus show for a title.
  async function onPaper(name, use) {
    const place = document.createElement("div");
    const { view } = views.get(name);
    place.style = `position: absolute; left: -9999px; width: ${view.container().clientWidth}px`;
    document.body.append(place);
    const params = (data.figures[name].spec.params ?? []).map((one) => (one.bind ? { ...one, value: view.signal(one.name) } : one));
    const title = params.filter((one) => one.bind).map((one) => `${one.bind.name.trim()}: ${one.value}`).join("; ");
    const spec = { ...data.figures[name].spec, ...(title && { params, title }) };
    const made = await vegaEmbed(place, spec, { actions: false, renderer: "svg", config: data.configs.light });
    await use(made.view);
    made.finalize();
    place.remove();
  }

  const savers = {
    csv: async (name) => save(name + ".csv", "text/csv", csv(rowsOf(name))),
    svg: (name) => onPaper(name, async (view) => save(name + ".svg", "image/svg+xml", await view.toSVG())),
    png: (name) =>
      onPaper(name, async (view) => {
        const canvas = await view.toCanvas(2);
        canvas.toBlob((blob) => save(name + ".png", "image/png", blob));
      }),
    json: async () => save("analysis.json", "application/json", JSON.stringify(data.analysis, null, 1)),
  };

  function fill(details) {
    const place = details.querySelector("table");
    if (place.rows.length) return;
    const rows = rowsOf(details.dataset.table);
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const head = place.createTHead().insertRow();
    for (const name of names) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = name;
      head.append(cell);
    }
    if (rows.length > SHOWN) place.createCaption().textContent = `The first ${SHOWN} of ${rows.length} rows; the CSV has all.`;
    const body = place.createTBody();
    for (const row of rows.slice(0, SHOWN)) {
      const line = body.insertRow();
      for (const name of names) {
        const value = row[name];
        line.insertCell().textContent = typeof value === "number" && !Number.isInteger(value) ? value.toPrecision(4) : value ?? "–";
      }
    }
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.show) {
      const section = button.closest("section");
      for (const panel of section.querySelectorAll(".panel")) panel.hidden = panel.dataset.panel !== button.dataset.show;
      for (const other of section.querySelectorAll("button[data-show]")) other.setAttribute("aria-pressed", String(other === button));
      for (const place of section.querySelectorAll(".panel:not([hidden]) .figure")) await draw(place);
    } else if (button.dataset.save) {
      await savers[button.dataset.save](button.dataset.of);
    }
  });
  for (const details of document.querySelectorAll("details[data-table]")) details.addEventListener("toggle", () => fill(details));
  dark.addEventListener("change", drawShown);
  drawShown();
})();
