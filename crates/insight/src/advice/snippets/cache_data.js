const whole = fs.readFileSync({path});  // before the loop that uses it again and again
for (let epoch = 0; epoch < epochs; epoch++)
  use(whole);
