const table = document.querySelector('#pools');
if (table) {
  const body = table.tBodies[0], rows = [...body.rows];
  const texts = new Map(rows.map(row => [row, row.textContent.toLowerCase()]));
  const filter = document.querySelector('#filter'), verdict = document.querySelector('#verdict');
  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(word => word);
    let shown = 0;
    for (const row of rows) {
      row.hidden = !(!verdict.value || row.cells[0].textContent === verdict.value) || !words.every(word => texts.get(row).includes(word));
      shown += !row.hidden;
    }
    document.querySelector('#shown').textContent = shown;
  };
  filter.addEventListener('input', show);
  verdict.addEventListener('change', show);
  const ranks = [...verdict.options].map(option => option.text);
  const order = new Intl.Collator(undefined, {numeric: true});
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    let direction = -1;
    head.style.cursor = 'pointer';
    head.addEventListener('click', () => {
      direction = -direction;
      const key = row => column ? row.cells[column].textContent : String(ranks.indexOf(row.cells[0].textContent));
      const compare = (a, b) => order.compare(key(a), key(b));
      body.append(...rows.sort((a, b) => direction * compare(a, b)));
    });
  });
}
