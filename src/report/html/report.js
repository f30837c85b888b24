"use strict";
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const make = (name, className, text) => {
    const element = document.createElement(name);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // Theme: automatic, light, dark. Nothing is stored: the page leaves no trace.
  const theme = document.getElementById("theme");
  const themes = ["automatic", "light", "dark"];
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const next = themes[(themes.indexOf(document.documentElement.dataset.theme || "automatic") + 1) % 3];
    if (next === "automatic") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    theme.textContent = "Theme: " + next;
  });

  // Findings: words that must all occur, severities, open and close.
  const filters = document.getElementById("filters");
  if (filters) {
    filters.hidden = false;
    const search = document.getElementById("search");
    const count = document.getElementById("count");
    const findings = all(".finding").map((element) => ({ element, text: element.textContent.toLowerCase() }));
    let before = null;
    const apply = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const severities = new Set(all("input[name=severity]:checked", filters).map((box) => box.value));
      let shown = 0;
      // A search opens what it finds and closes the rest; when it is over, all is as it was before.
      const details = findings.map(({ element }) => element.firstElementChild);
      if (words.length && !before) before = details.map((box) => box.open);
      if (!words.length && before) { before.forEach((open, at) => { details[at].open = open; }); before = null; }
      for (const { element, text } of findings) {
        const fits = severities.has(element.dataset.severity) && words.every((word) => text.includes(word));
        element.hidden = !fits;
        if (words.length) element.firstElementChild.open = fits;
        if (fits) shown += 1;
      }
      for (const gate of all(".gate")) {
        const nothing = gate.querySelector(".nothing");
        if (nothing) nothing.hidden = gate.querySelector(".finding:not([hidden])") !== null;
      }
      count.textContent = `${shown} of ${findings.length} ${findings.length === 1 ? "finding" : "findings"}`;
    };
    let waiting = 0;
    search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(apply, 60); });
    filters.addEventListener("change", apply);
    filters.addEventListener("submit", (event) => event.preventDefault());
    const set = (open) => { for (const details of all(".finding:not([hidden]) > details")) details.open = open; };
    document.getElementById("expand").addEventListener("click", () => set(true));
    document.getElementById("collapse").addEventListener("click", () => set(false));
    document.addEventListener("keydown", (event) => {
      if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) { event.preventDefault(); search.focus(); }
    });
    // On paper nothing can be opened: all findings that are shown are open there, and as before afterwards.
    let unprinted = [];
    addEventListener("beforeprint", () => { unprinted = all(".finding > details:not([open])"); for (const box of unprinted) box.open = true; });
    addEventListener("afterprint", () => { for (const box of unprinted) box.open = false; });
    // A browser that restores a form restores its text: show what it asks for.
    if (search.value) apply();
  }

  // Coverage grids: only the cells in view exist, so that tens of thousands of units stay usable.
  const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const ROW = 28, COLUMN = 32, HEAD = 164;
  for (const box of all(".matrix")) {
    const data = JSON.parse(document.getElementById(box.dataset.for).textContent);
    // The longer axis runs down the page.
    const isTurned = data.columns.length > data.rows.length;
    const rows = isTurned ? data.columns : data.rows;
    const columns = isTurned ? data.rows : data.columns;
    const rowKind = isTurned ? data.column_kind : data.row_kind;
    const columnKind = isTurned ? data.row_kind : data.column_kind;
    const state = (row, column) => ALPHABET.indexOf(isTurned ? data.cells[column][row] : data.cells[row][column]);
    const notes = new Map();
    for (const note of data.notes) {
      const key = isTurned ? note.column + "," + note.row : note.row + "," + note.column;
      notes.set(key, notes.has(key) ? notes.get(key) + "; " + note.text : note.text);
    }
    const lowerRows = rows.map((name) => name.toLowerCase());
    const lowerColumns = columns.map((name) => name.toLowerCase());
    const grid = box.querySelector(".grid");
    const said = box.querySelector(".m-cell");
    const search = box.querySelector(".m-search");
    const choice = box.querySelector(".m-state");
    const count = box.querySelector(".m-count");
    box.hidden = false;
    // A letter of its own for every state, from its name where one is free.
    const signs = [];
    for (const { name } of data.states) {
      const free = [...name.toUpperCase(), ...name.toLowerCase(), ...ALPHABET].find((sign) => sign.trim() && !signs.includes(sign));
      signs.push(free || "?");
    }
    const used = new Set();
    for (const row of data.cells) for (const cell of row) used.add(cell);
    const paint = (element, index) => {
      const now = data.states[index];
      element.className = "m-cell-box s" + (index % 6) + (!now || now.is_fault ? " fault" : "");
      element.append(make("span", "", signs[index] || "?"));
      return element;
    };
    const legend = box.querySelector(".m-legend");
    data.states.forEach((now, index) => {
      if (!used.has(ALPHABET[index])) return;
      const item = make("li");
      const sign = paint(make("span"), index);
      sign.setAttribute("aria-hidden", "true");
      item.append(sign, now.name);
      legend.append(item);
    });
    let shownRows = [], shownColumns = [], active = { row: 0, column: 0 };
    const nameWidth = () => Math.min(220, Math.max(110, grid.clientWidth * 0.4));
    const canvas = make("div", "canvas");
    canvas.setAttribute("role", "rowgroup");
    const head = make("div", "m-head");
    head.setAttribute("role", "row");
    grid.append(head, canvas);

    const place = (element, left, width) => { element.style.left = left + "px"; element.style.width = width + "px"; return element; };
    const label = (row, column) => {
      const r = shownRows[row], c = shownColumns[column];
      if (r === undefined || c === undefined) return "No cell matches.";
      const note = notes.get(r + "," + c);
      const now = data.states[state(r, c)];
      return `${rowKind} ${rows[r]}, ${columnKind} ${columns[c]}: ${now ? now.name : "unknown"}${note ? " (" + note + ")" : ""}`;
    };
    const draw = () => {
      const side = nameWidth();
      const width = side + shownColumns.length * COLUMN;
      const firstColumn = Math.max(0, Math.floor(grid.scrollLeft / COLUMN) - 4);
      const lastColumn = Math.min(shownColumns.length, Math.ceil((grid.scrollLeft + grid.clientWidth - side) / COLUMN) + 4);
      const firstRow = Math.max(0, Math.floor(grid.scrollTop / ROW) - 8);
      const lastRow = Math.min(shownRows.length, Math.ceil((grid.scrollTop + grid.clientHeight) / ROW) + 8);
      canvas.style.width = head.style.width = width + "px";
      canvas.style.height = shownRows.length * ROW + "px";
      head.style.height = HEAD + "px";
      const corner = place(make("span", "m-name", rowKind), 0, side);
      corner.setAttribute("role", "columnheader");
      const names = [corner];
      for (let column = firstColumn; column < lastColumn; column += 1) {
        const name = place(make("span", "m-col", columns[shownColumns[column]]), side + column * COLUMN + 4, COLUMN - 8);
        name.setAttribute("role", "columnheader");
        name.setAttribute("aria-colindex", column + 2);
        name.title = columns[shownColumns[column]];
        names.push(name);
      }
      head.replaceChildren(...names);
      const lines = [];
      for (let row = firstRow; row < lastRow; row += 1) {
        const line = make("div", "m-row");
        line.setAttribute("role", "row");
        line.setAttribute("aria-rowindex", row + 2);
        line.style.top = row * ROW + "px";
        line.style.width = width + "px";
        line.style.height = line.style.lineHeight = ROW + "px";
        const name = place(make("span", "m-name", rows[shownRows[row]]), 0, side);
        name.setAttribute("role", "rowheader");
        name.title = rows[shownRows[row]];
        line.append(name);
        for (let column = firstColumn; column < lastColumn; column += 1) {
          const index = state(shownRows[row], shownColumns[column]);
          const now = data.states[index] || { name: "?", is_fault: true };
          const cell = place(paint(make("span"), index), side + column * COLUMN, COLUMN);
          if (notes.has(shownRows[row] + "," + shownColumns[column])) cell.classList.add("noted");
          cell.setAttribute("role", "gridcell");
          cell.setAttribute("aria-colindex", column + 2);
          cell.setAttribute("aria-label", now.name);
          cell.dataset.row = row;
          cell.dataset.column = column;
          if (row === active.row && column === active.column) {
            cell.classList.add("active");
            cell.id = box.dataset.for + "-active";
            cell.setAttribute("aria-selected", "true");
          }
          line.append(cell);
        }
        lines.push(line);
      }
      canvas.replaceChildren(...lines);
      grid.setAttribute("aria-rowcount", shownRows.length + 1);
      grid.setAttribute("aria-colcount", shownColumns.length + 1);
      if (document.getElementById(box.dataset.for + "-active")) grid.setAttribute("aria-activedescendant", box.dataset.for + "-active");
      else grid.removeAttribute("aria-activedescendant");
    };
    const apply = () => {
      const word = search.value.trim().toLowerCase();
      const allColumns = columns.map((_, index) => index);
      const named = word ? allColumns.filter((index) => lowerColumns[index].includes(word)) : [];
      // A word that names columns narrows the columns; else it narrows the rows.
      shownColumns = named.length ? named : allColumns;
      const wants = choice.value;
      const fits = (row) => wants === "all" || shownColumns.some((column) => {
        const index = state(row, column);
        return wants === "faults" ? !data.states[index] || data.states[index].is_fault : index === Number(wants);
      });
      shownRows = [];
      for (let row = 0; row < rows.length; row += 1) {
        if ((!word || named.length || lowerRows[row].includes(word)) && fits(row)) shownRows.push(row);
      }
      active = { row: 0, column: 0 };
      // As tall as its rows, up to what the style allows; a horizontal scroll bar needs room too.
      grid.style.height = HEAD + shownRows.length * ROW + 20 + "px";
      grid.scrollTop = 0;
      count.textContent = `${shownRows.length} of ${rows.length} ${rowKind} rows`;
      draw();
    };
    const show = () => {
      const top = active.row * ROW, left = active.column * COLUMN, side = nameWidth();
      if (top < grid.scrollTop) grid.scrollTop = top;
      else if (top + ROW > grid.scrollTop + grid.clientHeight - HEAD) grid.scrollTop = top + ROW - grid.clientHeight + HEAD;
      if (left < grid.scrollLeft) grid.scrollLeft = left;
      else if (left + COLUMN > grid.scrollLeft + grid.clientWidth - side) grid.scrollLeft = left + COLUMN - grid.clientWidth + side;
      draw();
      said.textContent = label(active.row, active.column);
    };
    const page = () => Math.max(1, Math.floor((grid.clientHeight - HEAD) / ROW) - 1);
    const steps = {
      ArrowDown: () => [1, 0], ArrowUp: () => [-1, 0], ArrowRight: () => [0, 1], ArrowLeft: () => [0, -1],
      PageDown: () => [page(), 0], PageUp: () => [-page(), 0], Home: () => [0, -Infinity], End: () => [0, Infinity],
    };
    grid.addEventListener("keydown", (event) => {
      const step = steps[event.key];
      if (!step || event.altKey || event.metaKey) return;
      event.preventDefault();
      let [down, right] = step();
      if (event.ctrlKey && event.key === "Home") down = -Infinity;
      if (event.ctrlKey && event.key === "End") down = Infinity;
      const bounded = (value, length) => Math.max(0, Math.min(length - 1, value));
      active = { row: bounded(active.row + down, shownRows.length), column: bounded(active.column + right, shownColumns.length) };
      show();
    });
    const point = (event) => {
      const cell = event.target.closest(".m-cell-box");
      if (cell) said.textContent = label(Number(cell.dataset.row), Number(cell.dataset.column));
    };
    grid.addEventListener("pointerover", point);
    grid.addEventListener("click", (event) => {
      const cell = event.target.closest(".m-cell-box");
      if (cell) { active = { row: Number(cell.dataset.row), column: Number(cell.dataset.column) }; show(); }
    });
    let isDue = false;
    const later = () => { if (!isDue) { isDue = true; requestAnimationFrame(() => { isDue = false; draw(); }); } };
    grid.addEventListener("scroll", later, { passive: true });
    addEventListener("resize", later);
    search.addEventListener("input", apply);
    choice.addEventListener("change", apply);
    apply();
  }
})();
