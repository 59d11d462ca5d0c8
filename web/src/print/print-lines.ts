import './print.css'

/** Opens the print dialog of the browser with a title and lines of text. */
export function printLines(title: string, lines: string[]): void {
  const container = document.createElement('div')
  container.className = 'vs-print'
  container.ariaHidden = 'true'
  container.style.padding = '20mm'
  const heading = document.createElement('h1')
  heading.textContent = title
  heading.style.fontSize = '16pt'
  const text = document.createElement('pre')
  text.textContent = lines.join('\n')
  text.style.fontSize = '13pt'
  text.style.whiteSpace = 'pre-wrap'
  container.append(heading, text)
  document.body.append(container)
  addEventListener('afterprint', () => container.remove(), { once: true })
  print()
}
