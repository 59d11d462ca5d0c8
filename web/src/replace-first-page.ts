/**
 * Replaces the page that the service sent by the app. `render` must fill the root at once, so that nothing flashes. The texts
 * that somebody typed meanwhile, the focus and the selection stay.
 */
export function replaceFirstPage(root: HTMLElement, render: () => void): void {
  const typed = fieldsIn(root).map(({ value }) => value)
  const focused = fieldsIn(root).indexOf(document.activeElement as HTMLInputElement)
  render()
  document.getElementById('start-notice')?.remove()
  for (const [i, field] of fieldsIn(root).entries()) {
    if (typed[i]) enter(field, typed[i])
    if (i === focused) field.focus()
  }
}

/** The visible fields. The page of the service has one shell for each width. */
function fieldsIn(root: HTMLElement): HTMLInputElement[] {
  return [...root.querySelectorAll<HTMLInputElement>('input:not([type=radio], [type=checkbox])')].filter(
    (field) => field.offsetParent !== null,
  )
}

/** Changes a field like a person does: React ignores an event if the value seems unchanged. */
function enter(field: HTMLInputElement, value: string): void {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, value)
  field.dispatchEvent(new Event('input', { bubbles: true }))
}
