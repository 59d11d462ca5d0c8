import { useEffect, useState } from 'react'

/** True once `isOn` has lasted 150 ms, so that quick answers show no loader. */
export function useDelayed(isOn: boolean): boolean {
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    if (!isOn) return setIsLate(false)
    const timer = setTimeout(setIsLate, 150, true)
    return () => clearTimeout(timer)
  }, [isOn])
  return isOn && isLate
}
