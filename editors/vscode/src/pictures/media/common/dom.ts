// Short helpers to create elements.

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export function setAttributes(target: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) target.removeAttribute(name);
    else target.setAttribute(name, value === true ? '' : String(value));
  }
}

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  setAttributes(made, attributes);
  made.append(...children);
  return made;
}

export function drawn<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: readonly (Node | string)[]
): SVGElementTagNameMap[K] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAttributes(made, attributes);
  made.append(...children);
  return made;
}

export function button(label: string, hint: string, press: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', title: hint }, label);
  made.addEventListener('click', press);
  return made;
}

// Calls `work` at most once per frame, however often it is requested.
export function oncePerFrame(work: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}
