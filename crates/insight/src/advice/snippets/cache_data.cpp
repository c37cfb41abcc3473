// Before the loop that uses the file again and again.
std::ifstream file({path}, std::ios::binary);
const std::string whole{std::istreambuf_iterator<char>(file), {}};
for (int epoch = 0; epoch < epochs; epoch++)
    use(whole.data(), whole.size());
