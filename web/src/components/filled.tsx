import type { ReactNode } from 'react'

/** A text with an element in the place of its line break. */
export function filled(text: string, element: ReactNode): ReactNode {
  const [before, after] = text.split('\n')
  return (
    <>
      {before}
      {element}
      {after}
    </>
  )
}
