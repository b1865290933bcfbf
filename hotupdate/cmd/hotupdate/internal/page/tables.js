const tables = [...document.querySelectorAll('table.pools')];
const rows = tables.flatMap(table => [...table.tBodies[0].rows]);
const causes = [...document.querySelectorAll('.cause')];
const alone = causes.filter(cause => !cause.querySelector('table.pools'));
const items = [...rows, ...alone];
if (items.length) {
  const texts = new Map(items.map(item => [item, item.textContent.toLowerCase()]));
  const filter = document.querySelector('#filter');
  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(word => word);
    let shown = 0;
    for (const item of items) {
      item.hidden = !words.every(word => texts.get(item).includes(word));
      shown += !item.hidden;
    }
    for (const cause of causes) {
      if (!alone.includes(cause)) {
        cause.hidden = [...cause.querySelectorAll('table.pools tbody tr')].every(row => row.hidden);
      }
    }
    document.querySelector('#shown').textContent = `${shown.toLocaleString('en')} of ${items.length.toLocaleString('en')} rows`;
  };
  filter.addEventListener('input', show);
  show();
  const first = items[0].closest('section');
  if (first && !filter.parentElement.nextElementSibling?.contains(first)) first.before(filter.parentElement);
  filter.parentElement.hidden = false;
  const order = new Intl.Collator(undefined, {numeric: true});
  for (const table of tables) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener('click', () => {
        const direction = head.ariaSort === 'ascending' ? -1 : 1;
        heads.forEach(other => other.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', direction > 0 ? 'ascending' : 'descending');
        const text = row => row.cells[column].textContent;
        const key = head.classList.contains('number') ? row => text(row).replaceAll(',', '') : text;
        body.append(...[...body.rows].sort((a, b) => direction * order.compare(key(a), key(b))));
      });
    });
  }
}
