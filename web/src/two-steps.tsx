import { createContext, type ReactNode, startTransition, useContext, useEffect, useState } from 'react'
import { afterPaint } from './after-paint.ts'

/** Whether the second step has come. Without `TwoSteps`, everything is rendered at once, for example by the build. */
const SecondStepContext = createContext(true)

/**
 * Renders the app in two steps when it replaces the page of the service: first what people need to begin, and after a paint the
 * parts in `SecondStep`. React can interrupt the second step, so keys and clicks do not wait for it.
 */
export function TwoSteps({ children }: { children: ReactNode }) {
  const [isSecond, setIsSecond] = useState(false)
  useEffect(() => {
    void afterPaint().then(() => startTransition(() => setIsSecond(true)))
  }, [])
  return <SecondStepContext value={isSecond}>{children}</SecondStepContext>
}

/** A part that can wait for the second step. `first` takes its place until then. */
export function SecondStep({ first = null, children }: { first?: ReactNode; children: ReactNode }) {
  return useContext(SecondStepContext) ? children : first
}
