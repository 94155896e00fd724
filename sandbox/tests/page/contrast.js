// The body of a function: the texts whose contrast is less than 4.5, as WCAG 2.2 requires for level AA.
const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });

/** Any CSS colour as red, green, blue and opacity. */
function channels(colour) {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
  return { red, green, blue, alpha };
}

function background(element) {
  for (let at = element; at; at = at.parentElement) {
    const colour = channels(getComputedStyle(at).backgroundColor);
    if (colour.alpha === 255) return colour;
  }
  return channels('Canvas');
}

function luminance({ red, green, blue }) {
  const [r, g, b] = [red, green, blue].map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const low = [];
let checked = 0;
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const element = texts.currentNode.parentElement;
  if (texts.currentNode.textContent.trim() === '' || !element.checkVisibility() || element.tagName === 'SCRIPT') continue;
  const style = getComputedStyle(element);
  const text = channels(element.namespaceURI.endsWith('svg') ? style.fill : style.color);
  const [light, dark] = [luminance(text), luminance(background(element))].sort((a, b) => b - a);
  const ratio = (light + 0.05) / (dark + 0.05);
  checked += 1;
  if (ratio < 4.5) low.push(`${ratio.toFixed(2)}: ${element.tagName} ${element.className} ${texts.currentNode.textContent}`);
}
return { checked, low };
