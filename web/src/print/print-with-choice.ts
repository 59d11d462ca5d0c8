import { currentLanguage } from '../i18n/i18n.ts'
import { languagesToPrint, readPrintChoice } from './print-choice.ts'
import type { PrintJob } from './print-vouchers.tsx'

/** Prints on the paper and in the languages that were chosen last on this computer. */
export async function printWithLastChoice(job: Omit<PrintJob, 'paper' | 'languages'>): Promise<void> {
  const { printVouchers } = await import('./print-vouchers.tsx')
  const choice = readPrintChoice()
  const languages = languagesToPrint(choice, job.guestInfo.guest_languages, currentLanguage())
  await printVouchers({ ...job, paper: choice.paper, languages })
}
