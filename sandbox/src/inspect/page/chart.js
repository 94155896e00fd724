const chartBars = 24;
const [chartWidth, chartHeight, chartBase] = [480, 130, 105];

function shape(name, attributes, text) {
  const made = document.createElementNS($('patterns').namespaceURI, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** How many requests were pushed and how many refused, in equal periods from the first to the last. */
function periods(requests) {
  const times = requests.map((request) => Date.parse(request.at));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const length = Math.max(1, (last - first) / chartBars);
  const bars = Array.from({ length: chartBars }, () => ({ pushed: 0, refused: 0 }));
  requests.forEach((request, index) => {
    const bar = bars[Math.min(chartBars - 1, Math.floor((times[index] - first) / length))];
    if (request.accepted) bar.pushed += 1;
    else bar.refused += 1;
  });
  return { bars, first, last };
}

const clock = (time) => new Date(time).toISOString().slice(11, 19);

/** A chart of what was pushed and what was refused over time, with the same in words. */
function pushChart(requests) {
  const count = (test) => requests.filter(test).length;
  const [pushed, refused] = [count((one) => one.accepted), count((one) => !one.accepted)];
  if (requests.length === 0) return element('p', 'Nothing was pushed, as far as the log goes back.', 'soft');
  const { bars, first, last } = periods(requests);
  const words = `${pushed} pushed and ${refused} refused from ${clock(first)} to ${clock(last)} UTC`;
  const chart = shape('svg', { viewBox: `0 0 ${chartWidth} ${chartHeight}`, class: 'chart', role: 'img', 'aria-label': words });
  const most = Math.max(...bars.map((bar) => bar.pushed + bar.refused));
  const left = 30;
  const width = (chartWidth - left) / chartBars;
  const height = (value) => (value / most) * (chartBase - 15);
  bars.forEach((bar, index) => {
    const x = left + index * width + 1;
    const [low, high] = [height(bar.pushed), height(bar.refused)];
    const part = (kind, y, size) => size > 0 && chart.append(shape('rect', { class: kind, x, y, width: width - 2, height: size }));
    part('pushed', chartBase - low, low);
    part('refused', chartBase - low - high, high);
  });
  chart.append(
    shape('line', { class: 'axis', x1: left, x2: chartWidth, y1: chartBase + 0.5, y2: chartBase + 0.5 }),
    shape('text', { x: left - 6, y: 20, 'text-anchor': 'end' }, String(most)),
    shape('text', { x: left - 6, y: chartBase, 'text-anchor': 'end' }, '0'),
    shape('text', { x: left, y: chartBase + 18 }, clock(first)),
    shape('text', { x: chartWidth, y: chartBase + 18, 'text-anchor': 'end' }, clock(last)),
  );
  const made = element('div');
  const key = element('p', undefined, 'key');
  key.append(element('span', `■ ${pushed} pushed`, 'good'), element('span', `▨ ${refused} refused`, 'bad'));
  made.append(chart, key);
  return made;
}
