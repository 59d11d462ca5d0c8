import { Text } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Logo } from '../../components/logo.tsx'
import { useLayout } from '../../hooks/use-layout.ts'
import classes from './first-run-frame.module.css'

type Props = {
  steps: string[]
  step: number
  /** A sentence at the foot of the steps, and below the content on a phone. */
  foot?: ReactNode
  children: ReactNode
}

/** The steps are on the left; on a phone they are a bar at the top. The content begins at the same edge in each step. */
export function FirstRunFrame({ steps, step, foot, children }: Props) {
  const isPhone = useLayout() === 'phone'
  return (
    <div className={classes.frame}>
      {isPhone ? <PhoneSteps steps={steps} step={step} /> : <SideSteps steps={steps} step={step} foot={foot} />}
      <main className={classes.main}>
        {children}
        {isPhone && foot && <div className={classes.foot}>{foot}</div>}
      </main>
    </div>
  )
}

function SideSteps({ steps, step, foot }: Omit<Props, 'children'>) {
  const { t } = useTranslation()
  return (
    <aside className={classes.side}>
      <div className={classes.inner}>
        <div className={classes.brand}>
          <Logo size={28} />
          <Text fw={600} fz={15}>
            {t('app.name')}
          </Text>
        </div>
        <ol className={classes.steps}>
          {steps.map((title, i) => (
            <li key={title} className={classes.step} aria-current={i === step ? 'step' : undefined}>
              <span className={classes.disc} data-state={i < step ? 'done' : i === step ? 'current' : undefined}>
                {i < step ? <IconCheck size={14} aria-hidden /> : i + 1}
              </span>
              {title}
            </li>
          ))}
        </ol>
        {foot && <div className={classes.foot}>{foot}</div>}
      </div>
    </aside>
  )
}

function PhoneSteps({ steps, step }: Omit<Props, 'children'>) {
  const { t } = useTranslation()
  return (
    <header className={classes.top}>
      <Logo size={28} />
      <div style={{ flex: 1 }}>
        <Text fz={13} lh="18px" c="dimmed">
          {t('first-run.step', { number: step + 1, count: steps.length })}
        </Text>
        <Text fw={600} lh="18px">
          {steps[step]}
        </Text>
      </div>
      <div className={classes.bars} aria-hidden>
        {steps.map((title, i) => (
          <span key={title} data-done={i <= step || undefined} />
        ))}
      </div>
    </header>
  )
}
