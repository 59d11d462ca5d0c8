import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { showFailure } from '../components/show-failure.ts'
import { printWithLastChoice } from './print-with-choice.ts'

type Job = Parameters<typeof printWithLastChoice>[0]

/** Prints slips for vouchers of a site. A second call does nothing while the first one prepares the slips. */
export function usePrint() {
  const { t } = useTranslation()
  const [isPrinting, setIsPrinting] = useState(false)
  const print = async (load: () => Promise<Job> | Job) => {
    if (isPrinting) return
    setIsPrinting(true)
    try {
      await printWithLastChoice(await load())
    } catch (error) {
      showFailure(t, error)
    } finally {
      setIsPrinting(false)
    }
  }
  return { isPrinting, print: (load: () => Promise<Job> | Job) => void print(load) }
}
