import './print.css'

/** Opens the print dialog of the browser with a picture that fills a page of its size. */
export async function printPicture(url: string, size: { widthMm: number; heightMm: number }): Promise<void> {
  const container = document.createElement('div')
  container.className = 'vs-print'
  container.ariaHidden = 'true'
  const image = new Image()
  image.src = url
  image.style.cssText = `display: block; width: ${size.widthMm}mm`
  await image.decode()
  const page = document.createElement('style')
  page.textContent = `@page { size: ${size.widthMm}mm ${size.heightMm + 1}mm; margin: 0 }`
  container.append(image, page)
  document.body.append(container)
  addEventListener('afterprint', () => container.remove(), { once: true })
  print()
}
