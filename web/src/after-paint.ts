/** Resolves when the browser has painted the page as it is now. Hidden tabs never paint, so they do not wait for it. */
export function afterPaint(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))) // the second frame follows a paint
    setTimeout(resolve, 300)
  })
}
