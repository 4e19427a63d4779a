// el makes an element. Texts are always text, never markup.
export function el(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") e.addEventListener("click", value);
    else if (value !== false && value !== undefined) e.setAttribute(key, value === true ? "" : value);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined && c !== ""));
  return e;
}

export const $ = (id) => document.getElementById(id);
