import type { Locator } from 'playwright-core'

/** Pastes a text. The browser inserts it, unless the page handles it. */
export async function pasteInto(field: Locator, text: string): Promise<void> {
  await field.focus()
  const isHandled = await field.page().evaluate<boolean>(`(() => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', ${JSON.stringify(text)})
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    return !document.activeElement.dispatchEvent(event)
  })()`)
  if (!isHandled) await field.page().keyboard.insertText(text)
}
