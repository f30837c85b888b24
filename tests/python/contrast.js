// Texts of the page whose contrast with their background is below 4.5 (3 for large text).
(() => {
  const parse = (color) => {
    const parts = color.match(/[\d.]+/g).map(Number);
    return parts.length > 3 ? parts : [...parts, 1];
  };
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((value) => {
      const part = value / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color[3] > 0.99) return color;
    }
    return [255, 255, 255, 1];
  };
  for (const details of document.querySelectorAll("details")) details.open = true;
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest("script, style, .vh")) continue;
    const style = getComputedStyle(element);
    const [one, two] = [luminance(parse(style.color)), luminance(behind(element))].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (two + 0.05);
    const size = parseFloat(style.fontSize);
    const needed = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    if (ratio < needed) found.add(`${element.tagName}.${element.className}: ${ratio.toFixed(2)} ${style.color}`);
  }
  return Array.from(found);
})()
