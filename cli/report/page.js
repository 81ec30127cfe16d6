"use strict";
// The charts of a report. The tables of the page need no script. Names come from files and databases: they reach
// the page through textContent alone, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const element = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };

  // Quantities, as the program prints them.
  const digits = (value) => (value < 9.995 ? value.toFixed(2) : value < 99.95 ? value.toFixed(1) : value.toFixed(0));
  const timeText = (us) => us < 1 ? (us * 1e3).toFixed(0) + " ns" : us < 1e3 ? digits(us) + " µs" :
    us < 1e6 ? digits(us / 1e3) + " ms" : (us / 1e6).toFixed(2) + " s";
  const numberText = (value) => Math.abs(value) >= 1000 && Math.abs(value) < 1e9 ? value.toFixed(0) : String(+value.toPrecision(4));
  const secondsText = (s) => s < 1 ? (s * 1e3).toFixed(0) + " ms" : s < 60 ? +s.toFixed(1) + " s" :
    s < 3600 ? Math.floor(s / 60) + " m " + Math.round(s % 60) + " s" : (s / 3600).toFixed(1) + " h";
  // A round number of an axis, without the zeros that a measurement has: 2.795 µs, 20 ms.
  const roundTimeText = (us) => {
    const [scale, unit] = us > 0 && us < 1 ? [1e-3, " ns"] : us < 1e3 ? [1, " µs"] : us < 1e6 ? [1e3, " ms"] : [1e6, " s"];
    return +(us / scale).toPrecision(5) + unit;
  };
  const scoreText = (study, score) => study.score === "time" ? timeText(score) : numberText(score) + " " + study.score;
  const roundScoreText = (study, score) => study.score === "time" ? roundTimeText(score) : scoreText(study, score);
  const better = (study, a, b) => (study.higher ? a > b : a < b);

  // Colours of the theme in force: that of the system.
  const theme = {};
  const isDark = matchMedia("(prefers-color-scheme: dark)");
  const applyTheme = (forced) => {
    root.dataset.theme = forced || (isDark.matches ? "dark" : "light");
    const style = getComputedStyle(root);
    for (const name of ["card", "ink", "faint", "line", "accent", "dot"]) theme[name] = style.getPropertyValue("--" + name).trim();
    theme.font = getComputedStyle(document.body).fontFamily;  // measured on a canvas, which does not inherit one
    theme.series = [0, 1, 2, 3, 4, 5].map((i) => style.getPropertyValue("--chart-" + i).trim());
    // The best is the strongest colour on either background.
    theme.scale = root.dataset.theme === "dark" ? ["#f4e04d", "#5ec962", "#21918c", "#3b528b", "#3a2c52"]
                                                : ["#440154", "#3b528b", "#21918c", "#7fd08b", "#e9f2b8"];
  };

  // Charts that were drawn. Their layout follows from the width of what is around them; paper has a width of its own.
  const charts = new Map();
  let isPrinting = false;
  const widthAround = (holder) => !isPrinting ? holder.parentElement.clientWidth : holder.closest(".wide") ? 690 : 330;
  // Paper cannot be scrolled.
  const widthOrMore = (holder, least) => isPrinting ? widthAround(holder) : Math.max(widthAround(holder), least);
  const textWidth = (text) => echarts.format.getTextRect(text, "12px " + theme.font).width;
  const widest = (texts) => Math.max(0, ...texts.map(textWidth));
  // A chart that is wider than its figure can be scrolled.
  const draw = (holder, option, description, width = 0) => {
    holder.style.minWidth = width + "px";
    let chart = charts.get(holder);
    if (!chart) {
      chart = echarts.init(holder, null, { renderer: "svg" });
      charts.set(holder, chart);
    }
    chart.dispatchAction({ type: "hideTip" });  // a hint that is open would be shown again, of what is gone
    chart.resize({ width: isPrinting ? widthAround(holder) : "auto" });
    const axis = (each) => ({
      axisLine: { lineStyle: { color: theme.line } }, axisTick: { lineStyle: { color: theme.line } },
      splitLine: { lineStyle: { color: theme.line, opacity: 0.6 } }, nameTextStyle: { color: theme.faint },
      ...each, axisLabel: { color: theme.faint, hideOverlap: true, ...each.axisLabel },
    });
    for (const name of ["xAxis", "yAxis"]) if (option[name]) option[name] = axis(option[name]);
    chart.setOption({
      animation: false, color: theme.series, textStyle: { color: theme.ink, fontFamily: theme.font },
      ...option,
      ...(option.tooltip && { tooltip: {
        backgroundColor: theme.card, borderColor: theme.line, textStyle: { color: theme.ink, fontSize: 12 },
        confine: true, ...option.tooltip } }),
    }, { notMerge: true });
    holder.setAttribute("role", "img");
    holder.setAttribute("aria-label", description);
    return chart;
  };

  // An axis for scores. A logarithmic one begins and ends at a round number and names all round numbers.
  const valueAxis = (values, isLinear, text) => {
    const low = Math.min(...values), high = Math.max(...values);
    if (isLinear || !(low > 0) || high < 2 * low) return { type: "value", scale: true, axisLabel: { formatter: text } };
    const ticks = [], steps = high > 1000 * low ? [1] : [1, 2, 5];
    for (let power = Math.floor(Math.log10(low)); ticks.length === 0 || ticks[ticks.length - 1] < high; ++power) {
      for (const step of steps) {
        const tick = Number(step + "e" + power);
        if (tick <= low) ticks.length = 0;
        if (ticks.length === 0 || ticks[ticks.length - 1] < high) ticks.push(tick);
      }
    }
    return { type: "log", min: ticks[0], max: ticks[ticks.length - 1], axisTick: { customValues: ticks },
      axisLabel: { customValues: ticks, formatter: text } };
  };
  // The names below a chart: level if they fit side by side, else slanted. `name` is that of the axis.
  const namesBelow = (names, width, name) => {
    const most = Math.max(120, width / names.length - 8), longest = Math.min(most, widest(names));
    const isLevel = (longest + 8) * names.length <= width;
    const height = isLevel ? 16 : longest * Math.sin(Math.PI / 3) + 14;
    return { height, left: isLevel ? 0 : longest / 2, axis: { type: "category", data: names, name, nameLocation: "middle", nameGap: height + 10, nameTruncate: { maxWidth: width },
      axisLabel: { width: most, overflow: "truncate", rotate: isLevel ? 0 : 60, interval: isLevel ? 0 : Math.ceil(16 * names.length / width) - 1 } } };
  };
  // The length of what all texts begin with, up to an equals sign.
  const commonStart = (texts) => {
    let length = 0;
    while (length < texts[0].length && texts.every((each) => each[length] === texts[0][length])) ++length;
    return texts[0].slice(0, length).lastIndexOf("=") + 1;
  };
  // A legend in as many rows as it needs, and the height of these.
  const legendAbove = (names, width) => {
    let rows = 1, used = 0;
    for (const name of names) {
      const item = Math.min(width, textWidth(name) + 50);
      if (used > 0 && used + item > width) [rows, used] = [rows + 1, 0];
      used += item;
    }
    return { height: 24 * rows, legend: { top: 0, left: 0, width, textStyle: { color: theme.faint, width: width - 50, overflow: "truncate" }, data: names } };
  };

  // Lines of text as elements.
  const lines = (...texts) => element("div", {}, ...texts.map((text) => {
    const line = element("div");
    line.textContent = text;
    return line;
  }));
  const tableOf = (headers, rows) => {
    const cells = (tag, texts) => texts.map((text, i) => {
      const cell = element(tag, i > 0 ? { class: "number" } : {});
      cell.textContent = text;
      return cell;
    });
    return element("table", {}, element("thead", {}, element("tr", {}, ...cells("th", headers))),
      element("tbody", {}, ...rows.map((row) => element("tr", {}, ...cells("td", row)))));
  };
  const chooser = (label, options, chosen, onChange) => {
    const select = element("select");
    options.forEach(([value, text]) => {
      const option = element("option", { value });
      option.textContent = text;
      select.append(option);
    });
    select.value = chosen;
    select.addEventListener("change", () => onChange(select.value));
    const text = element("label");
    text.append(label + " ", select);
    return text;
  };

  const columnOf = (study, point, parameter) => study.details.parameters[parameter].values[study.details.points.places[parameter][point]];
  const configLines = (study, point) => study.details.parameters.map((each, i) => each.name + " = " + columnOf(study, point, i));
  const tooltipOf = (study, point) => {
    const points = study.details.points;
    return lines("trial " + points.id[point] + ": " + scoreText(study, points.score[point]), ...configLines(study, point));
  };

  // The places of scores on the scale of colours, from 0 for the best to 1 for the worst. The root spreads those near the
  // best, and two scores never share a place.
  const placesBetween = (best, worst) => {
    const scaled = Math.min(best, worst) > 0 ? Math.log : (score) => score, range = scaled(worst) - scaled(best);
    return (score) => range === 0 ? 0 : Math.sqrt((scaled(score) - scaled(best)) / range);
  };

  class StudyView {
    constructor(study) {
      this.study = study;
      this.section = document.getElementById(study.anchor);
      this.filter = new Map();  // parameter to the place of its value
      this.places = {};
      for (const figure of this.section.querySelectorAll("figure[data-chart]")) {
        this.places[figure.dataset.chart] = {
          holder: figure.querySelector(".chart"), controls: figure.querySelector(".controls"), table: figure.querySelector(".chart-table"),
        };
      }
      this.varied = study.details.parameters.map((_, i) => i).filter((i) => study.details.parameters[i].values.length > 1);
      [this.x, this.y] = study.details.pair;
      this.axis = "trial";
      this.makeControls();
    }

    makeControls() {
      const names = this.varied.map((i) => [String(i), this.study.details.parameters[i].name]);
      this.places.progress.controls.append(chooser("over", [["trial", "trials"], ["time", "time"]], this.axis, (value) => {
        this.axis = value;
        this.drawProgress();
      }));
      for (const side of ["x", "y"]) {
        if (!this.places.heat) break;
        this.places.heat.controls.append(chooser(side === "x" ? "across" : "down", names, String(this[side]), (value) => {
          this[side] = Number(value);
          this.drawHeat();
        }));
      }
      this.scale = element("div", { class: "scale" });
      if (this.places.heat) this.places.heat.holder.parentElement.after(this.scale);
      const holder = this.section.querySelector(".filter-controls");
      for (const i of this.varied) {
        const parameter = this.study.details.parameters[i];
        const values = parameter.values.map((value, place) => [String(place), value]);
        holder.append(chooser(parameter.name, [["", "any"], ...values], "", (value) => {
          if (value === "") this.filter.delete(i); else this.filter.set(i, Number(value));
          this.draw();
        }));
      }
    }

    // Indices of the points that the filter lets through.
    get chosen() {
      const { points } = this.study.details;
      const all = [...points.id.keys()];
      if (this.filter.size === 0) return all;
      return all.filter((i) => [...this.filter].every(([parameter, place]) => points.places[parameter][i] === place));
    }
    get good() { return this.chosen.filter((i) => this.study.details.points.score[i] !== null); }

    draw() {
      const count = this.section.querySelector(".filter-count");
      const all = this.study.details.points.id.length;
      count.textContent = this.filter.size === 0 ? "" : this.chosen.length + " of " + all + " trials match.";
      if (this.good.length === 0) {
        if (this.filter.size > 0) count.textContent += " None of them went well: the charts stay as they were.";
        return;
      }
      this.drawProgress();
      this.drawDistribution();
      if (this.places.heat) this.drawHeat();
      if (this.places.importance) this.drawImportance();
      if (this.places.parallel) this.drawParallel();
    }

    // The progress of all trials is known exactly; that of a filter comes from the points of the page.
    improvements() {
      const { points, improvements } = this.study.details;
      if (this.filter.size === 0) return improvements;
      const steps = [];
      for (const i of this.good) {
        const score = points.score[i];
        if (steps.length === 0 || better(this.study, score, steps[steps.length - 1][2])) steps.push([points.number[i], points.elapsed[i], score]);
      }
      return steps;
    }

    drawProgress() {
      const { study } = this, { points } = study.details, overTime = this.axis === "time";
      const at = (i) => (overTime ? points.elapsed[i] : points.number[i]);
      const steps = this.improvements().map((step) => [overTime ? step[1] : step[0], step[2]]);
      const last = Math.max(...this.chosen.map(at));
      if (steps.length) steps.push([last, steps[steps.length - 1][1]]);
      draw(this.places.progress.holder, {
        grid: { left: 4, right: 24, top: 40, bottom: 24, containLabel: true },
        legend: { top: 0, left: 0, textStyle: { color: theme.faint }, data: ["trials", "best so far"] },
        toolbox: { right: 0, top: -4, iconStyle: { borderColor: theme.faint }, feature: { dataZoom: { yAxisIndex: "none" }, restore: {} } },
        xAxis: { type: "value", name: overTime ? "seconds of tuning" : "trial", nameLocation: "middle", nameGap: 26, max: last, min: 0, axisLabel: { showMaxLabel: false } },
        yAxis: valueAxis(this.good.map((i) => points.score[i]), false, (value) => roundScoreText(study, value)),
        tooltip: { trigger: "item", formatter: (item) => item.seriesName === "trials" ? tooltipOf(study, item.value[2])
          : lines("best so far: " + scoreText(study, item.value[1]), overTime ? secondsText(item.value[0]) : "trial " + item.value[0]) },
        series: [
          { name: "trials", type: "scatter", symbolSize: 4, progressive: 0, itemStyle: { color: theme.dot, opacity: 0.8 }, data: this.good.map((i) => [at(i), points.score[i], i]) },
          { name: "best so far", type: "line", step: "end", symbolSize: 7, lineStyle: { width: 2.5 }, itemStyle: { color: theme.series[1] }, data: steps },
        ],
      }, "Best so far: from " + scoreText(study, steps[0][1]) + " to " + scoreText(study, steps[steps.length - 1][1]) + " in " + study.trials + " trials.");
    }

    distribution() {
      const { distribution, points } = this.study.details;
      if (this.filter.size === 0) return distribution.counts;
      const counts = distribution.counts.map(() => 0), { edges } = distribution;
      for (const i of this.good) {
        let bin = 0;
        while (bin + 1 < counts.length && points.score[i] >= edges[bin + 1]) ++bin;
        ++counts[bin];
      }
      return counts;
    }

    drawDistribution() {
      const { study } = this, { edges } = study.details.distribution, counts = this.distribution();
      draw(this.places.distribution.holder, {
        grid: { left: 24, right: 24, top: 16, bottom: 24, containLabel: true },
        xAxis: { type: "category", data: counts.map((_, i) => scoreText(study, edges[i])), name: study.score, nameLocation: "middle", nameGap: 30, axisLabel: { margin: 12 } },
        yAxis: { type: "value", minInterval: 1 },
        tooltip: { trigger: "axis", formatter: (items) => lines(items[0].value + " trials", scoreText(study, edges[items[0].dataIndex]) + " to " + scoreText(study, edges[items[0].dataIndex + 1])) },
        series: [{ type: "bar", barCategoryGap: "8%", data: counts }],
      }, "Distribution: " + counts.reduce((sum, each) => sum + each, 0) + " trials between " + scoreText(study, edges[0]) + " and " + scoreText(study, edges[edges.length - 1]) + ".");
    }

    // Neighbours share a group if a parameter has very many values.
    groups(parameter) {
      const { values } = this.study.details.parameters[parameter], most = data.most_groups;
      if (values.length <= most) return { names: values, of: (place) => place };
      const of = (place) => Math.floor(place * most / values.length);
      const names = [];
      values.forEach((value, place) => { names[of(place)] = (names[of(place)] || value).split(" … ")[0] + " … " + value; });
      return { names, of };
    }

    drawHeat() {
      const { study } = this, { points, parameters } = study.details, across = this.groups(this.x), down = this.groups(this.y);
      const cells = new Map();
      for (const i of this.good) {
        const key = across.of(points.places[this.x][i]) + "," + down.of(points.places[this.y][i]);
        if (!cells.has(key) || better(study, points.score[i], points.score[cells.get(key)])) cells.set(key, i);
      }
      const entries = [...cells].map(([key, i]) => [...key.split(",").map(Number), points.score[i], i]);
      const scores = entries.map((each) => each[2]), low = Math.min(...scores), high = Math.max(...scores);
      const [best, worst] = study.higher ? [high, low] : [low, high], place = placesBetween(best, worst);
      const middle = low > 0 ? best * Math.pow(worst / best, 0.25) : best + (worst - best) / 4;
      this.scale.replaceChildren(element("i", { style: "background: linear-gradient(to right, " + theme.scale.join(", ") + ")" }),
        ...[best, middle, worst].map((score) => element("span", {}, scoreText(study, score))));
      // Dark text on light cells: the slow ones, or on a dark page the fast ones.
      const ink = (score) => (root.dataset.theme === "dark" ? place(score) < 0.4 : place(score) > 0.6) ? "#16202b" : "#ffffff";
      const names = [parameters[this.x].name, parameters[this.y].name];
      const width = widthAround(this.places.heat.holder), left = Math.min(0.3 * width, widest(down.names) + 6);
      const below = namesBelow(across.names, width - left - 40, names[0]), before = Math.max(left + 12, below.left);
      const showsText = down.names.length <= 16 && (widest(scores.map((score) => scoreText(study, score))) + 4) * across.names.length <= width - left - 40;
      draw(this.places.heat.holder, {
        grid: { left: before, right: 28, top: 32, bottom: below.height + 32 },
        xAxis: { ...below.axis, splitArea: { show: false } },
        yAxis: { type: "category", data: down.names, name: names[1], nameLocation: "end", nameTextStyle: { align: "left", padding: [0, 0, 0, -before] },
          nameTruncate: { maxWidth: width - 40 }, axisLabel: { width: left, overflow: "truncate" } },
        visualMap: { show: false, min: 0, max: 1, dimension: 4, inRange: { color: theme.scale } },
        tooltip: { trigger: "item", formatter: (item) => tooltipOf(study, item.value[3]) },
        series: [{ type: "heatmap", data: entries.map((each) => ({ value: [...each, place(each[2])], label: { color: ink(each[2]) } })), itemStyle: { borderColor: theme.card, borderWidth: 1 },
          label: { show: showsText, formatter: (item) => scoreText(study, item.value[2]), fontSize: 11, textBorderColor: "transparent" } }],
      }, "Heat map: the best " + study.score + " for each " + names[0] + " and " + names[1] + ", from " + scoreText(study, low) + " to " + scoreText(study, high) + ".");
      const rows = down.names.map((name, y) => [name, ...across.names.map((_, x) => cells.has(x + "," + y) ? scoreText(study, points.score[cells.get(x + "," + y)]) : "–")]);
      this.places.heat.table.replaceChildren(element("div", { class: "scroll" }, tableOf([names[1] + " \\ " + names[0], ...across.names], rows)));
    }

    drawImportance() {
      const rows = this.study.details.importance.slice(0, 12).reverse();
      this.places.importance.holder.hidden = rows.length === 0;
      if (rows.length === 0) return;
      const width = widthAround(this.places.importance.holder), left = Math.min(280, 0.45 * width);
      draw(this.places.importance.holder, {
        grid: { left: 4, right: 60, top: 6, bottom: 24, containLabel: true },
        xAxis: { type: "value", splitNumber: width < 500 ? 2 : 5, axisLabel: { formatter: (value) => +(value * 100).toFixed(1) + " %" } },
        yAxis: { type: "category", data: rows.map((row) => row[0]), axisLabel: { width: left, overflow: "truncate", hideOverlap: false, interval: 0 } },
        tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, formatter: (items) => lines(rows[items[0].dataIndex][0], (items[0].value * 100).toFixed(1) + " % of the variance") },
        series: [{ type: "bar", data: rows.map((row) => row[1]), barMaxWidth: 18,
          label: { show: true, position: "right", color: theme.faint, formatter: (item) => (item.value * 100).toFixed(1) + " %" } }],
      }, "Importance: " + rows.slice().reverse().slice(0, 3).map((row) => row[0] + " " + (row[1] * 100).toFixed(0) + " %").join(", ") + ".");
    }

    drawParallel() {
      const { study } = this, { points, parameters } = study.details;
      const best = this.good.sort((a, b) => (study.higher ? -1 : 1) * (points.score[a] - points.score[b])).slice(0, 100).reverse();
      const shown = this.varied.slice(0, 15), last = shown.length;
      const scores = best.map((i) => points.score[i]), place = placesBetween(scores[scores.length - 1], scores[0]);
      const axisOf = (dim, i) => ({ dim, name: parameters[i].name, type: "category", data: parameters[i].values });
      const around = widthAround(this.places.parallel.holder), margin = Math.max(55, Math.min(100, around / 10));
      const width = widthOrMore(this.places.parallel.holder, 2 * margin + 30 + 100 * last), gap = (width - 2 * margin - 30) / last;
      draw(this.places.parallel.holder, {
        parallel: { left: margin, right: margin + 30, top: 40, bottom: 24, parallelAxisDefault: { z: 10,
          nameTextStyle: { color: theme.ink }, nameLocation: "end", nameTruncate: { maxWidth: Math.min(gap, 2 * margin) - 10 },
          axisLine: { lineStyle: { color: theme.faint } }, axisTick: { lineStyle: { color: theme.faint } },
          axisLabel: { color: theme.ink, textBorderColor: theme.card, textBorderWidth: 3, width: gap - 24, overflow: "truncate", hideOverlap: true },
          areaSelectStyle: { color: theme.accent, opacity: 0.3 } } },
        parallelAxis: [...shown.map((i, dim) => axisOf(dim, i)),
          { dim: last, name: study.score, ...valueAxis(scores, false, (value) => roundScoreText(study, value)) }],
        visualMap: { show: false, dimension: last + 1, min: 0, max: 1, inRange: { color: theme.scale } },
        tooltip: { trigger: "item", formatter: (item) => tooltipOf(study, best[item.dataIndex]) },
        series: [{ type: "parallel", lineStyle: { width: 1.6, opacity: 0.65 }, emphasis: { lineStyle: { width: 4, opacity: 1 } }, inactiveOpacity: 0.06,
          data: best.map((i) => [...shown.map((p) => parameters[p].values[points.places[p][i]]), points.score[i], place(points.score[i])]) }],
      }, "Parallel coordinates of the best " + best.length + " trials, from " + scoreText(study, scores[scores.length - 1]) + " to " + scoreText(study, scores[0]) + ".", width);
    }
  }

  // The same kernel across problems and devices.
  class Overview {
    constructor() {
      this.figure = document.querySelector("figure[data-chart=across]");
      if (!this.figure) return;
      this.holder = this.figure.querySelector(".chart");
      const controls = this.figure.querySelector(".controls");
      const kernels = [...new Set(data.studies.map((study) => study.kernel))];
      this.kernel = kernels[0];
      if (kernels.length > 1) {
        controls.append(chooser("kernel", kernels.map((each) => [each, each]), this.kernel, (value) => {
          this.kernel = value;
          this.fillMeasures();
          this.draw();
        }));
      }
      this.measureHolder = element("span");
      controls.append(this.measureHolder);
      this.fillMeasures();
    }
    get studies() { return data.studies.filter((study) => study.kernel === this.kernel && study.time_us !== null); }
    fillMeasures() {
      const metrics = [...new Set(this.studies.flatMap((study) => study.metrics.map((metric) => metric[0])))];
      this.measure = "time";
      this.measureHolder.replaceChildren(chooser("measure", [["time", "time"], ...metrics.map((each) => [each, each])], "time", (value) => {
        this.measure = value;
        this.draw();
      }));
    }
    draw() {
      if (!this.figure) return;
      const { studies, measure } = this;
      const problems = [...new Set(studies.map((study) => study.problem_text || "(no axes)"))];
      const groups = [...new Set(studies.map((study) => study.device))];
      const valueOf = (study) => measure === "time" ? study.time_us : (study.metrics.find((metric) => metric[0] === measure) || [0, null])[1];
      const text = (value) => measure === "time" ? timeText(value) : numberText(value) + " " + measure;
      const isBar = problems.length < 2;  // bars begin at 0
      const values = studies.map(valueOf).filter((value) => value !== null);
      const start = isBar ? 0 : commonStart(problems), axis = start > 0 ? problems[0].slice(0, start - 1) : "";
      const width = widthAround(this.holder), below = namesBelow(problems.map((each) => each.slice(start)), width - 100, axis);
      const above = legendAbove(groups, width);
      draw(this.holder, {
        grid: { left: Math.max(4, below.left - 40), right: 24, top: above.height + 16, bottom: axis ? 28 : 4, containLabel: true }, legend: above.legend,
        xAxis: below.axis,
        yAxis: { ...valueAxis(values, isBar, (value) => measure === "time" ? roundTimeText(value) : text(value)), ...(isBar && { scale: false }) },
        tooltip: { trigger: "item", formatter: (item) => lines(item.seriesName, problems[item.dataIndex], text(item.value)) },
        series: groups.map((device) => ({ name: device, type: isBar ? "bar" : "line", symbolSize: 9, connectNulls: true, barMaxWidth: 60,
          data: problems.map((problem) => {
            const found = studies.filter((study) => study.device === device && (study.problem_text || "(no axes)") === problem).map(valueOf).filter((value) => value !== null);
            return found.length ? (measure === "time" ? Math.min(...found) : found[0]) : null;
          }) })),
      }, "The best " + measure + " of " + this.kernel + " for " + problems.length + " problems on " + groups.length + " devices.");
    }
  }

  const detailed = data.studies.filter((study) => study.details);
  const views = new Map();
  const overview = new Overview();
  let shown = null;
  const show = (anchor) => {
    const study = detailed.find((each) => each.anchor === anchor) || detailed[0];
    if (!study) return;
    for (const each of detailed) document.getElementById(each.anchor).hidden = each !== study;
    shown = null;
    if (study.details.improvements.length === 0) return;  // nothing went well: there is nothing to draw
    if (!views.has(study)) views.set(study, new StudyView(study));
    shown = views.get(study);
    shown.draw();
  };
  const drawAll = () => {
    overview.draw();
    if (shown) shown.draw();
  };

  applyTheme();
  const bar = document.getElementById("page-controls");
  if (detailed.length > 1) {
    const select = chooser("study", detailed.map((study) => [study.anchor, study.title]), detailed[0].anchor, show);
    bar.append(select);
    for (const link of document.querySelectorAll("a[data-study]")) {
      link.addEventListener("click", () => {
        select.querySelector("select").value = link.dataset.study;
        show(link.dataset.study);
      });
    }
  }
  show();
  overview.draw();
  isDark.addEventListener("change", () => { applyTheme(); drawAll(); });
  addEventListener("resize", drawAll);
  // Paper is white and narrower than most windows.
  const print = (isNow) => {
    isPrinting = isNow;
    applyTheme(isNow ? "light" : undefined);
    drawAll();
  };
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  root.dataset.ready = "yes";
})();
