import { Anchor, Button, Text, Title } from '@mantine/core'
import { IconArrowRight } from '@tabler/icons-react'
import type { MouseEvent, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

export function Heading({ title, text }: { title: string; text: string }) {
  return (
    <div style={{ marginBottom: 28 }}>
      <Title order={1} fz={24} lh="32px">
        {title}
      </Title>
      <Text c="dimmed">{text}</Text>
    </div>
  )
}

type NextProps = {
  isLoading?: boolean
  label?: string
  /** Outlined while another button of the page is the next one to press. */
  isSecond?: boolean
}

export function NextButton({ isLoading = false, label, isSecond = false }: NextProps) {
  const { t } = useTranslation()
  return (
    <Button
      type="submit"
      size="md"
      fz="md"
      variant={isSecond ? 'default' : 'filled'}
      loading={isLoading}
      onClick={ignoreSecondClick}
      rightSection={<IconArrowRight size={16} aria-hidden />}
    >
      {label ?? t('actions.continue')}
    </Button>
  )
}

/** The second click of a double click may meet a button of the next step, which nobody has read yet. */
export function ignoreSecondClick(event: MouseEvent): void {
  if (event.detail > 1) event.preventDefault()
}

/** A link beside the button of a step: back, or skip. A click leaves the focus in its field: leaving the field would check it. */
export function SideLink({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <Anchor
      component="button"
      type="button"
      c="var(--mantine-color-text)"
      fw={500}
      onMouseDown={(event) => event.preventDefault()}
      onClick={(event) => {
        if (event.detail <= 1) onClick()
      }}
    >
      {children}
    </Anchor>
  )
}
