import { Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useLayout } from '../hooks/use-layout.ts'
import { usePageTitle } from '../house.ts'
import { useScope } from '../sites.ts'
import { ZoneNote } from './zone-note.tsx'

type Props = {
  title: string
  /** The zone of the times on the page. */
  timeZone?: string
  children?: ReactNode
}

/**
 * The first line of a page: title on the left, actions on the right. Beside the rail, which has no room for the site,
 * the line also names the site.
 */
export function PageTitle({ title, timeZone, children }: Props) {
  const { site } = useScope()
  const layout = useLayout()
  usePageTitle(title)
  return (
    <Group justify="space-between" wrap="nowrap" mb={20} mih={36}>
      <Group gap="0 12px" align="baseline" flex={1} miw={0}>
        <Title order={1}>{title}</Title>
        {layout === 'rail' && site && <Text c="dimmed">{site.name}</Text>}
        {timeZone && <ZoneNote timeZone={timeZone} />}
      </Group>
      {children}
    </Group>
  )
}
