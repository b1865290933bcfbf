const tables = [...document.querySelectorAll('table.pools')];
const rows = tables.flatMap(table => [...table.tBodies[0].rows]);
if (rows.length) {
  const texts = new Map(rows.map(row => [row, row.textContent.toLowerCase()]));
  const filter = document.querySelector('#filter');
  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(word => word);
    let shown = 0;
    for (const row of rows) {
      row.hidden = !words.every(word => texts.get(row).includes(word));
      shown += !row.hidden;
    }
    document.querySelector('#shown').textContent = `${shown} of ${rows.length} rows`;
  };
  filter.addEventListener('input', show);
  show();
  tables[0].closest('section').before(filter.parentElement);
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
        const key = row => row.cells[column].textContent;
        body.append(...[...body.rows].sort((a, b) => direction * order.compare(key(a), key(b))));
      });
    });
  }
}
