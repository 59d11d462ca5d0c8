import { ActionIcon, type ActionIconProps, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import type { MouseEvent, ReactNode } from 'react'

type Props = ActionIconProps & { label: string; children: ReactNode }

const stop = (event: MouseEvent) => event.stopPropagation()

/** The menu behind three dots. In a row of a table, a click on it does not open the row. */
export function MoreMenu({ label, children, ...button }: Props) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={label} onClick={stop} {...button}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown onClick={stop}>{children}</Menu.Dropdown>
    </Menu>
  )
}
